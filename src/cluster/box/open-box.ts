import { closeSync, existsSync, openSync } from "node:fs";
import { findProgram } from "../../engine/programs.ts";
import { ensurePrivateDir } from "../../platform/files.ts";
import { identifyProcess, type ProcessIdentity } from "../../platform/process-identity.ts";
import type { Box, BoxOptions } from "./box.ts";
import {
  checkAddresses,
  connectBox,
  connectMachine,
  insideCommands,
  outsideCommands,
} from "./box-network.ts";
import { type BoxPaths, boxMarker, boxPaths } from "./box-paths.ts";
import { boxProcesses } from "./box-processes.ts";
import { type BoxRecord, holdsBox, readBoxRecord, writeBoxRecord } from "./box-record.ts";
import { endBox } from "./close-box.ts";
import { startGated } from "./gated-child.ts";
import { initScript } from "./init-script.ts";
import { ownCgroup } from "./own-cgroup.ts";
import { prepareRoot, writeResolvConf } from "./prepare-root.ts";
import { routeIpv6Services, routeServices } from "./service-route.ts";
import { stalePaths } from "./stale-paths.ts";

/**
 * Opens the box of a node: takes over the one that runs, or makes one of what its folder holds. Only one process at
 * a time may open or close a box.
 */
export async function openBox(options: BoxOptions): Promise<Box> {
  checkAddresses(options);
  const paths = await boxPaths(options.folder);
  const before = await readBoxRecord(paths);
  if (before?.init && holdsBox(before.init)) {
    const { init } = before;
    checkUnchanged(options, before);
    await Promise.all([connect(options, paths, init), writeResolvConf(paths)]);
    return asBox(options, paths, { init, isTakenOver: true });
  }
  // A process that was killed while it opened or closed the box may have left something.
  if (existsSync(paths.record) || existsSync(`/sys/class/net/${paths.link}`)) await endBox(paths);
  return asBox(options, paths, { init: await makeBox(options, paths), isTakenOver: false });
}

async function asBox(
  options: BoxOptions,
  paths: BoxPaths,
  found: Pick<Box, "init" | "isTakenOver">,
): Promise<Box> {
  const { init, isTakenOver } = found;
  return {
    ...{ init, isTakenOver, root: paths.root, cgroupParent: paths.cgroup },
    stale: isTakenOver ? await stalePaths(options.keep, init) : [],
    routePods: (podCidr) => connectMachine({ ...options, podCidr }, paths.link),
    routeServices: (range) => routeServices({ range, address: options.address, link: paths.link }),
    routeIpv6Services: (range) =>
      routeIpv6Services({ range, address: options.ipv6?.address ?? "", link: paths.link }),
    ...boxProcesses(paths, init, await ownCgroup(paths)),
  };
}

function checkUnchanged(options: BoxOptions, { node, address, gateway }: BoxRecord): void {
  if (options.address !== address || options.gateway !== gateway)
    throw new Error(
      `the node ${node} runs with the address ${address} and the gateway ${gateway}: stop it before you change them`,
    );
}

/** Restores what others may have removed: routes, or even the interface. */
async function connect(
  options: BoxOptions,
  { link }: BoxPaths,
  init: ProcessIdentity,
): Promise<void> {
  try {
    await connectMachine(options, link);
  } catch {
    await connectBox(options, link, init);
    await connectMachine(options, link);
  }
}

async function makeBox(options: BoxOptions, paths: BoxPaths): Promise<ProcessIdentity> {
  const { cluster, node, address, gateway, podCidr, ipv6 } = options;
  const record = { cluster, node, address, gateway, podCidr, ipv6 };
  await ensurePrivateDir(paths.folder);
  await writeBoxRecord(paths, record);
  try {
    const { lines, go } = await startInit(options, paths);
    const pid = lines.find((line) => line.startsWith("pid "))?.slice("pid ".length);
    const init = identifyProcess(Number(pid));
    if (!init) throw new Error("its first process ended");
    await writeBoxRecord(paths, { ...record, init });
    go();
    return init;
  } catch (cause) {
    await endBox(paths);
    throw new Error(`cannot make a machine for the node ${node}`, { cause });
  }
}

async function startInit(options: BoxOptions, paths: BoxPaths) {
  const [overlays, cgroup, reaper] = await Promise.all([
    prepareRoot(options, paths),
    ownCgroup(paths),
    findProgram("catatonit").catch(() => ""),
  ]);
  const inside = insideCommands(options, paths.link, "/proc/self/fd/3").join("\n");
  const outside = outsideCommands(options, paths.link).join("\n");
  const hostname = options.node.slice(0, longestHostname);
  const parameters = [cgroup ?? "", hostname, inside, outside, reaper, ...overlays];
  const machine = openSync("/proc/self/ns/net", "r");
  try {
    return await startGated(
      "unshare",
      [...newNamespaces, "sh", "-c", initScript, "sh", ...parameters],
      {
        cwd: paths.folder,
        env: { PATH: `${process.env.PATH ?? ""}:${systemPath}`, [boxMarker]: paths.folder },
        errors: "pipe",
        extra: machine,
      },
    );
  } finally {
    closeSync(machine);
  }
}

/** What the machine unmounts is unmounted in the box, too, and nothing the other way round. */
const newNamespaces = [
  ...["--mount", "--net", "--uts", "--ipc", "--pid", "--propagation", "slave", "--"],
];

/** Where programs are in the box, whatever the PATH is on the machine. */
const systemPath = "/usr/sbin:/usr/bin:/sbin:/bin";

/** The kernel takes 64 characters. */
const longestHostname = 63;
