import { writeFile } from "node:fs/promises";
import { CniError } from "../../../cri/cni/cni-error.ts";
import type { CniResult } from "../../../cri/cni/cni-result.ts";
import { runChild } from "../../../platform/run-child.ts";
import { formatCidr, masked, parseCidr, parseIp } from "../../../schema/values/ip.ts";
import { ownerOf, readElements, removeElements, removeStale, runNft } from "../nft-table.ts";
import {
  type CniPlugin,
  type NetworkConfig,
  type PluginCall,
  validAttachments,
} from "../plugin.ts";
import { readIp } from "../run-ip.ts";
import {
  type MappedPort,
  type PodAddress,
  portElements,
  portmapChains,
  portmapTable,
  replaceElements,
} from "./portmap-rules.ts";

/** Has ports of the node lead to a pod that an earlier plugin of the chain has connected. */
export const portmap: CniPlugin = {
  async add(call) {
    const result = resultBefore(call);
    const ports = readPorts(call.config);
    await removeElements(portmapTable, ({ owner }) => owner === ownerOfCall(call));
    if (ports.length === 0) return result;
    const addresses = addressesOf(result, call.netns);
    const masquerades = call.config.snat !== false;
    const elements = portElements(ports, { addresses, owner: ownerOfCall(call), masquerades });
    await runNft([
      ...portmapChains,
      ...replaceElements(elements, await readElements(portmapTable)),
    ]);
    if (masquerades) await acceptLoopback(addresses);
    await forgetFlows(ports);
    return result;
  },
  async del(call) {
    await removeElements(portmapTable, ({ owner }) => owner === ownerOfCall(call));
    // What was invalid was not added.
    await forgetFlows(portsIfValid(call.config));
  },
  async check(call) {
    const result = resultBefore(call);
    const ports = readPorts(call.config);
    const masquerades = call.config.snat !== false;
    const owner = ownerOfCall(call);
    const wanted = portElements(ports, {
      addresses: addressesOf(result, call.netns),
      owner,
      masquerades,
    });
    const present = new Set(
      (await readElements(portmapTable))
        .filter((one) => one.owner === owner)
        .map(({ of, key }) => `${of} ${key}`),
    );
    const missing = wanted.find(({ of, key }) => !present.has(`${of} ${key}`));
    if (missing) throw new CniError("internal", `the port mapping ${missing.key} is missing`);
  },
  async gc(call) {
    const valid = validAttachments(call);
    if (!valid) return;
    await removeStale(portmapTable, call.config.name, valid);
  },
  async status() {
    const { code, stderr } = await runChild("nft", ["--version"]).catch((error: Error) => ({
      code: 127,
      stderr: error.message,
    }));
    if (code !== 0) throw new CniError("notAvailable", "nft cannot be run", stderr.trim());
  },
};

const ownerOfCall = ({ config: { name }, containerId, ifName }: PluginCall): string =>
  ownerOf(name, containerId, ifName);

function resultBefore({ prevResult }: PluginCall): CniResult {
  if (prevResult) return prevResult;
  throw new CniError("invalidConfig", "must be called as chained plugin");
}

/** Throws if a mapping is invalid, or if the configuration wants what only iptables can do. */
function readPorts(config: NetworkConfig): readonly MappedPort[] {
  for (const field of ["externalSetMarkChain", "conditionsV4", "conditionsV6"])
    if (config[field] !== undefined && config[field] !== null)
      throw new CniError(
        "unsupportedField",
        `unsupported field ${field}: ${JSON.stringify(config[field])}`,
      );
  const given = config.runtimeConfig?.portMappings ?? [];
  if (!Array.isArray(given)) throw new CniError("invalidConfig", "portMappings is not a list");
  return given.map((entry: unknown) => {
    const {
      hostport: hostPort,
      containerport: containerPort,
      protocol = "tcp",
      hostip: hostIP,
    } = withLowerCase(entry);
    const name = String(protocol).toLowerCase();
    if (!isPort(containerPort))
      throw new CniError(
        "invalidConfig",
        `Invalid container port number: ${String(containerPort)}`,
      );
    if (!isPort(hostPort))
      throw new CniError("invalidConfig", `Invalid host port number: ${String(hostPort)}`);
    if (!["tcp", "udp", "sctp"].includes(name))
      throw new CniError("invalidConfig", `Invalid protocol: ${name}`);
    const hostIp = typeof hostIP === "string" && hostIP !== "" ? hostIP : undefined;
    if (hostIp !== undefined && !parseIp(hostIp))
      throw new CniError("invalidConfig", `Invalid host IP: ${hostIp}`);
    return { protocol: name, hostPort, containerPort, hostIp };
  });
}

function portsIfValid(config: NetworkConfig): readonly MappedPort[] {
  try {
    return readPorts(config);
  } catch {
    return [];
  }
}

/** containerd removes a pod with other capitals in these names than it was added with. */
const withLowerCase = (entry: unknown): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(entry ?? {}).map(([key, value]) => [key.toLowerCase(), value]));

const isPort = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value > 0 && value < 65_536;

/** The first address of each family that is the pod's. */
function addressesOf({ ips, interfaces }: CniResult, netns: string): readonly PodAddress[] {
  const found = new Map<number, PodAddress>();
  for (const { address, interface: index } of ips) {
    const own = index === undefined ? undefined : interfaces[index];
    const cidr = parseCidr(address);
    if (!cidr || (own && (own.sandbox ?? "") === "") || (own && own.sandbox !== netns)) continue;
    if (found.has(cidr.ip.version)) continue;
    found.set(cidr.ip.version, {
      address: address.split("/", 1)[0] ?? "",
      network: formatCidr(masked(cidr)),
    });
  }
  return [...found.values()];
}

/** Lets replies to the loopback of the node come back through the interface of the pod. */
async function acceptLoopback(addresses: readonly PodAddress[]): Promise<void> {
  const [first] = addresses.filter(({ address }) => !address.includes(":"));
  if (!first) return;
  const [route] = await readIp<{ readonly dev?: string }>(["route", "get", first.address]);
  if (route?.dev !== undefined)
    await writeFile(`/proc/sys/net/ipv4/conf/${route.dev}/route_localnet`, "1").catch(() => {});
}

/** Has packets of UDP that go on find their new way, where the program for it is installed. */
async function forgetFlows(ports: readonly MappedPort[]): Promise<void> {
  for (const { protocol, hostPort } of ports)
    if (protocol === "udp")
      await runChild("conntrack", ["-D", "-p", "udp", "--dport", String(hostPort)]).catch(() => {});
}
