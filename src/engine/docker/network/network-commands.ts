import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { mustRun, runChild } from "../../../platform/run-child.ts";
import type { BridgeRecord } from "./network-record.ts";

/** Creates a network namespace that a file holds, unless it exists; its loopback interface is up. */
export async function createNamespace(path: string): Promise<void> {
  if (await isNamespace(path)) return;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, "");
  await mustRun("unshare", [`--net=${path}`, "ip", "link", "set", "lo", "up"]);
}

export async function removeNamespace(path: string): Promise<void> {
  // Nothing is mounted there if the namespace was never made, or the machine was restarted.
  await runChild("umount", ["--lazy", path]);
  await rm(path, { force: true });
}

/** Whether a namespace is mounted at the path: then it can be entered. */
async function isNamespace(path: string): Promise<boolean> {
  const { code } = await runChild("nsenter", [`--net=${path}`, "true"]);
  return code === 0;
}

/** Creates a bridge with its address, unless it exists. */
export async function ensureBridge(bridge: BridgeRecord, prefixLength: number): Promise<void> {
  const { interface: name, gateway } = bridge;
  const exists = await runChild("ip", ["link", "show", "dev", name]);
  if (exists.code !== 0) await mustRun("ip", ["link", "add", "name", name, "type", "bridge"]);
  await mustRun("ip", ["addr", "replace", `${gateway}/${prefixLength}`, "dev", name]);
  await mustRun("ip", ["link", "set", "dev", name, "up"]);
  await writeFile("/proc/sys/net/ipv4/ip_forward", "1");
  // Published ports are reached from the host by 127.0.0.1, too.
  await writeFile(`/proc/sys/net/ipv4/conf/${name}/route_localnet`, "1");
}

/** Removes an interface; one that does not exist is not an error. */
export async function removeInterface(name: string): Promise<void> {
  await runChild("ip", ["link", "delete", "dev", name]);
}

export interface Connection {
  /** The file of the container's namespace. */
  readonly namespace: string;
  /** The names of both ends: on the host, and in the container. */
  readonly hostInterface: string;
  readonly containerInterface: string;
  readonly bridge: string;
  readonly address: string;
  readonly prefixLength: number;
  readonly macAddress: string;
  /** Absent if another network has the default route, or this one leads nowhere. */
  readonly gateway?: string | undefined;
}

/** Connects a namespace with a bridge. */
export async function connect(connection: Connection): Promise<void> {
  const { namespace, hostInterface, containerInterface: inside, bridge } = connection;
  await removeInterface(hostInterface);
  await batch(
    "ip",
    [],
    [
      `link add ${hostInterface} type veth peer name ${inside} address ${connection.macAddress} netns ${namespace}`,
      `link set ${hostInterface} master ${bridge} up`,
    ],
  );
  await batch(
    "nsenter",
    [`--net=${namespace}`, "ip"],
    [
      `addr add ${connection.address}/${connection.prefixLength} dev ${inside}`,
      `link set ${inside} up`,
      ...(connection.gateway === undefined
        ? []
        : [`route replace default via ${connection.gateway}`]),
    ],
  );
}

/** Replaces the table of the packet filter. */
export const applyRules = (rules: string): Promise<string> =>
  mustRun("nft", ["-f", "-"], { input: rules });

export async function removeTable(table: string): Promise<void> {
  await runChild("nft", ["delete", "table", "inet", table]);
}

function batch(
  program: string,
  args: readonly string[],
  lines: readonly string[],
): Promise<string> {
  return mustRun(program, [...args, "-batch", "-"], { input: `${lines.join("\n")}\n` });
}

/** The subnets that the host has routes to. */
export async function hostSubnets(): Promise<readonly string[]> {
  const output = await mustRun("ip", ["-4", "-json", "route"]);
  const routes = JSON.parse(output || "[]") as readonly { readonly dst?: string }[];
  return routes.flatMap(({ dst }) => (dst?.includes("/") ? [dst] : []));
}
