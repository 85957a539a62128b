import { readdir, realpath, stat, truncate } from "node:fs/promises";
import { connect } from "node:net";
import { basename, dirname, join } from "node:path";
import { sleep } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { ChangingValue } from "../../controller-runtime/reconcile/changing-value.ts";
import { findProgram } from "../../engine/programs.ts";
import { writePrivateFile } from "../../platform/files.ts";
import type { NodePki, Pki } from "../../platform/pki/pki.ts";
import { realClock } from "../../platform/real-clock.ts";
import type { Box, BoxProcess } from "../box/box.ts";
import { boxPaths } from "../box/box-paths.ts";
import { holdsBox, readBoxRecord } from "../box/box-record.ts";
import { type ClusterRanges, nodeAddress } from "../box/choose-ranges.ts";
import { closeBox, removeBox } from "../box/close-box.ts";
import { type BoxIpv6, boxIpv6, ipv6Ranges } from "../box/ipv6-ranges.ts";
import { openBox } from "../box/open-box.ts";
import { ensureOutbound, removeOutbound } from "../box/outbound.ts";
import { killProcess, stopProcess } from "../up/cluster-process.ts";
import { agentCommand, boxKubeletConfiguration } from "./agent-command.ts";
import type { BoxAddress } from "./plan-balancer-routes.ts";
import { podRange } from "./pod-range.ts";
import { programPaths } from "./program-paths.ts";
import { renewNodePki } from "./renew-node-pki.ts";
import { superviseAgent } from "./supervise-agent.ts";
import { writeNodeCredentials } from "./write-node-credentials.ts";

export interface NodeBoxesOptions {
  readonly cluster: string;
  /** The data directory of the cluster; boxes are in its folder `nodes`. */
  readonly dataDir: string;
  readonly count: number;
  readonly ranges: ClusterRanges;
  /** The range of the services' addresses. */
  readonly serviceRange: string;
  /** How long certificates of nodes are valid; a year if not given. */
  readonly certificateLifetimeMs?: number | undefined;
  readonly log: Log;
}

/** A node of a cluster that is a box of this machine. */
interface NodeBox {
  readonly name: string;
  readonly address: string;
  readonly podCidr: string;
  readonly ipv6?: BoxIpv6 | undefined;
  readonly folder: string;
  readonly box: Box;
}

/** The real nodes of a cluster of `wherry up`. */
export interface NodeBoxes {
  readonly addresses: readonly BoxAddress[];
  /** Whether this machine has a route to the services' addresses. */
  readonly reachesServices: boolean;
  /** Starts the agents of all nodes, and again whenever one ends, until it is closed. */
  startAgents(access: ApiAccess): Promise<void>;
  /** Stops watching. Agents and containers go on. */
  close(): Promise<void>;
}

export interface ApiAccess {
  /** The URL of the API server, as boxes reach it. */
  readonly server: string;
  /** The certificates of the cluster: boxes have the authority's, and those of nodes are issued by it. */
  readonly pki: ChangingValue<Pki>;
  /** The addresses of the cluster's DNS. */
  readonly clusterDns: readonly string[];
}

/** Opens the boxes of a cluster's nodes: those that still run are taken over, with all that runs in them. */
export async function openNodeBoxes(options: NodeBoxesOptions): Promise<NodeBoxes> {
  const { cluster, dataDir, count, ranges, log } = options;
  const { gateway } = ranges;
  const { program, paths } = programPaths();
  // That of the PATH may be where boxes have nothing else. runc needs its folder: it looks for itself there.
  const runc = await findProgram("runc");
  const keep = [...paths, dirname(runc), dirname(await realpath(runc))];
  let reachesServices = false;
  const open = async (i: number): Promise<NodeBox> => {
    const name = `node-${i + 1}`;
    const folder = join(nodesFolder(dataDir), name);
    const address = nodeAddress(ranges, i);
    const podCidr = podRange(ranges.pods, i);
    const ipv6 = ranges.ipv6 === undefined ? undefined : boxIpv6(ranges.ipv6, i);
    const box = await openBox({
      ...{ cluster, node: name, folder, address, gateway, podCidr, ipv6 },
      keep,
    });
    for (const path of box.stale) log.warn("a box has an old version of a path", { name, path });
    // All boxes have the same services: one stands for them.
    const warning = i === 0 ? await box.routeServices(options.serviceRange) : undefined;
    if (warning !== undefined) log.warn(warning);
    else if (i === 0) reachesServices = true;
    if (i === 0 && ranges.ipv6 !== undefined)
      await box.routeIpv6Services(ipv6Ranges(ranges.ipv6).services);
    return { name, address, podCidr, ipv6, folder, box };
  };
  const boxes = await Promise.all(Array.from({ length: count }, (_, i) => open(i)));
  const outbound = ensureOutbound(dataDir, ranges).then((warnings) => {
    for (const warning of warnings) log.warn(warning);
  });
  const stop = new AbortController();
  const supervised: Promise<void>[] = [outbound];
  const renewing = new Map<number, { close(): void }>();
  return {
    addresses: boxes,
    reachesServices,
    async startAgents(access) {
      const starts = boxes.map(async (opened, i) => {
        let node: NodeBox | undefined = opened;
        let running = opened;
        const write = (): Promise<NodePki> => prepare(running, access, options);
        const start = async (): Promise<BoxProcess> => {
          // A box that has ended is opened again.
          running = node ?? (await open(i));
          node = undefined;
          // Agents use new credentials without a restart.
          renewing.get(i)?.close();
          const pki = await write();
          renewing.set(i, renewNodePki({ pki, write, changes: access.pki, clock: realClock, log }));
          return startAgent(running, program, ranges);
        };
        const { name, address, box } = opened;
        const { begun, ended } = superviseAgent({ name, start, log, signal: stop.signal });
        supervised.push(ended);
        await begun;
        // The stored status of a node that is taken over does not tell that its agent is not there yet.
        if (box.isTakenOver) await kubeletListens(address);
      });
      await Promise.all(starts);
    },
    async close() {
      stop.abort();
      for (const one of renewing.values()) one.close();
      await Promise.all(supervised);
    },
  };
}

/** The folder of the box through which the machine reaches services. */
export const firstNodeFolder = (dataDir: string): string => join(nodesFolder(dataDir), "node-1");

/** The folder of the boxes of a cluster. */
const nodesFolder = (dataDir: string): string => join(dataDir, "nodes");

/** Ends all that runs in the boxes of a cluster, which does not run; their files stay. */
export async function closeNodeBoxes(dataDir: string): Promise<void> {
  await Promise.all((await boxFolders(dataDir)).map(closeBox));
  if ((await boxFolders(dataDir)).length > 0) await removeOutbound(dataDir);
}

/** Removes the boxes of a cluster with all their files. */
export async function removeNodeBoxes(dataDir: string): Promise<void> {
  const folders = await boxFolders(dataDir);
  await Promise.all(folders.map(removeBox));
  if (folders.length > 0) await removeOutbound(dataDir);
}

/** A box that runs, and its root directory as this process can reach it. */
export interface RunningBox {
  readonly name: string;
  readonly root: string;
}

/** The boxes of a cluster that run. */
export async function runningBoxes(dataDir: string): Promise<readonly RunningBox[]> {
  const boxes: RunningBox[] = [];
  for (const folder of await boxFolders(dataDir)) {
    const init = (await readBoxRecord(await boxPaths(folder)))?.init;
    if (init && holdsBox(init))
      boxes.push({ name: basename(folder), root: `/proc/${init.pid}/root` });
  }
  return boxes;
}

async function boxFolders(dataDir: string): Promise<readonly string[]> {
  const names = await readdir(nodesFolder(dataDir)).catch(() => []);
  return names.map((name) => join(nodesFolder(dataDir), name));
}

/** Writes the credentials and the configuration of a node into its box. */
async function prepare(
  { name, address, podCidr, ipv6, box }: NodeBox,
  { server, pki: ofCluster, clusterDns }: ApiAccess,
  { dataDir, certificateLifetimeMs: lifetimeMs }: NodeBoxesOptions,
): Promise<NodePki> {
  const folder = join(box.root, "/var/lib/kubelet");
  const pki = await writeNodeCredentials({
    ...{ folder, server, lifetimeMs, nodeName: name, ca: ofCluster.current.ca.cert },
    ips: ipv6 ? [address, ipv6.address] : [address],
    clusterPki: join(dataDir, "pki"),
  });
  const configuration = boxKubeletConfiguration({
    ...{
      address,
      podCIDR: ipv6 ? `${podCidr},${ipv6.podCidr}` : podCidr,
      cgroupRoot: box.cgroupParent,
      clusterDns,
    },
  });
  await writePrivateFile(join(folder, "config.yaml"), `${JSON.stringify(configuration)}\n`);
  return pki;
}

/** Starts the agent of a box, in place of one that an earlier process has started. */
async function startAgent(
  { name, address, ipv6, folder, box }: NodeBox,
  program: string,
  ranges: ClusterRanges,
): Promise<BoxProcess> {
  await endAgent(box);
  const log = join(folder, "agent.log");
  // Of a log that has become large, the part before this agent is dropped.
  const { size } = await stat(log).catch(() => ({ size: 0 }));
  if (size > mostLogBytes) await truncate(log);
  const args = agentCommand({
    program,
    name,
    address: ipv6 ? `${address},${ipv6.address}` : address,
    boxRanges: ranges.ipv6 ? [ranges.nodes, ipv6Ranges(ranges.ipv6).nodes] : [ranges.nodes],
  });
  return box.spawn("agent", { program: process.execPath, args, log });
}

const mostLogBytes = 10 * 1024 * 1024;

/** Resolves when the kubelet of a node accepts connections, or after some seconds. */
async function kubeletListens(address: string): Promise<void> {
  for (const until = realClock.now() + mostListenMs; realClock.now() < until; ) {
    const isListening = await new Promise<boolean>((resolve) => {
      const socket = connect(kubeletPort, address, () => resolve(true));
      socket.on("error", () => resolve(false)).on("connect", () => socket.destroy());
    });
    if (isListening) return;
    await sleep(realClock, 50);
  }
}

const kubeletPort = 10250;
const mostListenMs = 10_000;

/** Ends the agent that an earlier process has started; containers run on. */
async function endAgent(box: Box): Promise<void> {
  const before = await box.find("agent");
  if (!before) return;
  const options = { clock: realClock, timeoutMs: 5000 };
  if (!(await stopProcess(before, options))) await killProcess(before, realClock);
}
