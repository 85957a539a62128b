import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { defaultServiceRange } from "../../apiserver/allocation/service-network.ts";
import { errorMessage } from "../../base/error-message.ts";
import { connect } from "../../kubeconfig/connect.ts";
import { contextConnection } from "../../kubeconfig/context-connection.ts";
import { loadKubeconfig } from "../../kubeconfig/load-kubeconfig.ts";
import { chosenContext } from "../../kubeconfig/validate-kubeconfig.ts";
import { realClock } from "../../platform/real-clock.ts";
import { boxPaths } from "../box/box-paths.ts";
import { chooseRanges } from "../box/choose-ranges.ts";
import { missingForIpv6, randomPrefix } from "../box/ipv6-ranges.ts";
import { machineNetworks } from "../box/machine-networks.ts";
import { missingForBoxes } from "../box/missing-for-boxes.ts";
import { type ReservedRanges, reserveRanges } from "../box/reserve-ranges.ts";
import { serviceRouteProblem } from "../box/service-route.ts";
import {
  closeNodeBoxes,
  firstNodeFolder,
  removeNodeBoxes,
  runningBoxes,
} from "../node/node-boxes.ts";
import { checkDataDirectory } from "../opening/data-version.ts";
import { version } from "../version.ts";
import { type AskedNodes, chooseNodes } from "./choose-nodes.ts";
import { withClusterContext } from "./cluster-context.ts";
import { withClusterLock } from "./cluster-lock.ts";
import {
  type ClusterProcess,
  killProcess,
  startClusterProcess,
  stopProcess,
} from "./cluster-process.ts";
import {
  type ClusterRecord,
  clusterPaths,
  defaultName,
  forgetCluster,
  listRecords,
  readRecord,
  runs,
  writeRecord,
} from "./cluster-record.ts";
import type { Progress } from "./create-progress.ts";
import { ensureDataRoom } from "./data-room.ts";
import { editKubeconfigFile } from "./edit-kubeconfig-file.ts";
import { checkPort } from "./free-port.ts";
import { untilUsable } from "./until-usable.ts";
import { unusableDirectory } from "./unusable-directory.ts";

/** The requested properties of a cluster; properties that are absent keep their value. */
export type Asked = Partial<Pick<ClusterRecord, "port" | "dataDir" | "isEphemeral">> &
  AskedNodes & {
    /** Whether it has addresses of both families. */
    readonly isDualStack?: boolean;
  };

export interface BringUpOptions {
  readonly name: string;
  readonly asked: Asked;
  /** The kubeconfig that gets its context; by default the one that kubectl would use. */
  readonly kubeconfig: string | undefined;
  /** Whether to wait until nodes are ready. */
  readonly waits: boolean;
  readonly timeoutMs: number;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** A cluster that is up. */
export interface Up {
  readonly record: ClusterRecord;
  /** False if the cluster was running already. */
  readonly isNew: boolean;
  /** The path of a kubeconfig that holds only this cluster. */
  readonly admin: string;
  /** Whether its context was added to the user's kubeconfig. */
  readonly usesContext: boolean;
  readonly warnings: readonly string[];
}

/** Starts a cluster in the background unless it is running, and waits until it can be used. */
export function bringUp(options: BringUpOptions): Promise<Up> {
  const { name } = options;
  return withClusterLock(name, async () => {
    const before = await readRecord(name);
    if (before && runs(before)) return alreadyUp(before, options);
    const { record, notices, release } = await newRecord(options, before);
    try {
      const up = await start(record, options, before);
      return { ...up, warnings: [...notices, ...up.warnings] };
    } catch (error) {
      // An interrupted first start leaves nothing behind; after a failure the log is kept.
      const isForgotten = !before && options.signal.aborted;
      if (record.isEphemeral || isForgotten) await removeNodeBoxes(record.dataDir);
      if (record.isEphemeral) await rm(record.dataDir, { recursive: true, force: true });
      if (isForgotten) await forgetCluster(name);
      throw error;
    } finally {
      await release();
    }
  }).catch((error: unknown) => {
    throw unusableDirectory(error, resolve(options.asked.dataDir ?? clusterPaths(name).dir));
  });
}

async function alreadyUp(record: ClusterRecord, options: BringUpOptions): Promise<Up> {
  const differing = differences(record, options.asked);
  if (differing.length > 0) {
    const named = record.name === defaultName ? "" : ` ${record.name}`;
    const has = differing.map(({ flag, has }) => `--${flag}=${has}`).join(" ");
    const asked = differing.map(({ flag, asked }) => `--${flag}=${asked}`).join(" ");
    throw new Error(
      `the cluster "${record.name}" is already running with ${has}: to change that, run "wherry down${named}" and then "wherry up${named} ${asked}"`,
    );
  }
  return { ...(await settled(record, options)), isNew: false };
}

interface Difference {
  readonly flag: string;
  readonly has: unknown;
  readonly asked: unknown;
}

/** The properties in which a running cluster differs from the request. */
function differences(
  record: ClusterRecord,
  { nodes, isSimulated, simulatedNodes, port, dataDir, isEphemeral, isDualStack }: Asked,
): Difference[] {
  const { realNodes = 0 } = record;
  const simulated = record.nodes - realNodes;
  const compared: Difference[] = [
    { flag: "nodes", has: realNodes || simulated, asked: nodes },
    { flag: "simulated", has: realNodes === 0, asked: isSimulated },
    { flag: "simulated-nodes", has: realNodes > 0 ? simulated : 0, asked: simulatedNodes },
    // Port 0 accepts any port, so the current one will do.
    { flag: "port", has: record.port, asked: port || undefined },
    { flag: "data-dir", has: record.dataDir, asked: dataDir && resolve(dataDir) },
    { flag: "dual-stack", has: record.ranges?.ipv6 !== undefined, asked: isDualStack },
    { flag: "ephemeral", has: record.isEphemeral, asked: isEphemeral },
  ];
  return compared.filter(({ has, asked }) => asked !== undefined && asked !== has);
}

interface NewRecord {
  readonly record: ClusterRecord;
  readonly notices: readonly string[];
  /** Ends what keeps other clusters from the ranges until this one uses them. */
  release(): Promise<void>;
}

/** The record of the requested cluster: properties that the request leaves open keep their value. */
async function newRecord(
  { name, asked }: BringUpOptions,
  before: ClusterRecord | undefined,
): Promise<NewRecord> {
  const isEphemeral = asked.isEphemeral ?? false;
  const dataDir = asked.dataDir !== undefined ? resolve(asked.dataDir) : undefined;
  const kept = dataDir ?? before?.dataDir ?? clusterPaths(name).data;
  if (before && dataDir !== undefined && dataDir !== before.dataDir)
    throw new Error(
      `the data of the cluster "${name}" is in ${before.dataDir}: choose another name for a cluster in ${dataDir}, or delete this one with "wherry delete"`,
    );
  if (before && isEphemeral)
    throw new Error(
      `the cluster "${name}" exists already and is not ephemeral: choose another name for an ephemeral cluster, or delete this one with "wherry delete"`,
    );
  const owner = (await listRecords()).find(
    (one) => one.name !== name && one.dataDir === kept && runs(one),
  );
  if (owner) throw new Error(`${kept} is in use by the cluster "${owner.name}"`);
  const chosen = chooseNodes(asked, before, await missingForBoxes());
  const isFirst = chosen.realNodes > 0 && !before?.ranges;
  checkFamilies(asked, { before, realNodes: chosen.realNodes });
  const reserved = isFirst ? await freeRanges() : undefined;
  const ipv6 = isFirst && asked.isDualStack ? { ipv6: randomPrefix(randomBytes(5)) } : {};
  const record = {
    name,
    dataDir: isEphemeral ? await mkdtemp(join(tmpdir(), `wherry-${name}-`)) : kept,
    isEphemeral,
    nodes: chosen.nodes,
    ...(chosen.realNodes > 0 && {
      realNodes: chosen.realNodes,
      ranges: before?.ranges ?? (reserved && { ...reserved.ranges, ...ipv6 }),
    }),
    port: asked.port ?? before?.port ?? 0,
    version,
    kubeconfig: before?.kubeconfig,
    previousContext: before?.previousContext,
  };
  return {
    record,
    notices: [chosen.notice, await unreachedServices(before)].filter((one) => one !== undefined),
    release: async () => reserved?.release(),
  };
}

/** Throws if a cluster cannot have the families of addresses that are asked for: they cannot be changed. */
function checkFamilies(
  { isDualStack }: Asked,
  { before, realNodes }: { readonly before: ClusterRecord | undefined; readonly realNodes: number },
): void {
  if (isDualStack && realNodes === 0)
    throw new Error("--dual-stack needs nodes that run containers");
  const had = before?.ranges?.ipv6 !== undefined;
  if (before && isDualStack !== undefined && had !== isDualStack)
    throw new Error(
      `the cluster "${before.name}" was created ${isDualStack ? "without" : "with"} --dual-stack, which cannot be changed: choose another name, or delete it with "wherry delete"`,
    );
  const missing = isDualStack ? missingForIpv6() : undefined;
  if (missing !== undefined) throw new Error(`--dual-stack is not possible here: ${missing}`);
}

/** A warning if what this machine uses now has taken the range of services of a cluster that was stopped. */
async function unreachedServices(before: ClusterRecord | undefined): Promise<string | undefined> {
  if (before?.ranges === undefined) return undefined;
  const { link } = await boxPaths(firstNodeFolder(before.dataDir));
  const range = before.ranges.services ?? defaultServiceRange;
  return serviceRouteProblem({ range, link }, await machineNetworks());
}

/** Reserves ranges for the nodes and pods of a new cluster that nothing on this machine uses. */
async function freeRanges(): Promise<ReservedRanges> {
  const others = (await listRecords()).flatMap(({ ranges }) =>
    ranges ? [ranges.nodes, ranges.pods, ranges.services ?? defaultServiceRange] : [],
  );
  const reserved = await reserveRanges(async (reserved) =>
    chooseRanges({
      ...(await machineNetworks()),
      ranges: [...others, ...reserved],
    }),
  );
  if (reserved) return reserved;
  throw new Error(
    "no range of addresses is free for nodes and pods: remove a cluster or a route, or use --simulated",
  );
}

async function start(
  record: ClusterRecord,
  options: BringUpOptions,
  before: ClusterRecord | undefined,
): Promise<Up> {
  const { name, signal, progress, timeoutMs } = options;
  const { dataDir, port } = record;
  progress.show(`starting the cluster "${name}"`);
  await ensureDataRoom(dataDir);
  await checkDataDirectory(dataDir);
  await checkPort(port, { wasOwn: before?.port === port });
  await checkContext(options);
  // Boxes that a killed server left behind run on, also if this start fails.
  const isTakeOver = (await runningBoxes(dataDir)).length > 0;
  const child = await startClusterProcess({
    record,
    log: clusterPaths(name).log,
    clock: realClock,
    timeoutMs,
    signal,
  });
  let isRemembered = false;
  try {
    const running = { ...record, process: child.identity, startedAt: realClock.now() };
    await Promise.all([writeRecord(running), child.ready]);
    isRemembered = true;
    progress.show("the API server is ready");
    const { port } = await adminKubeconfig(dataDir);
    return { ...(await settled({ ...running, port }, options)), isNew: true };
  } catch (error) {
    // A cluster that is only slow keeps running: the user can inspect it, and stop it by its name.
    if (signal.aborted || !isRemembered || !(await isReady(child))) {
      await end(child, record);
      if (!isTakeOver) await closeNodeBoxes(dataDir);
    }
    throw error;
  }
}

/** Whether a process has become ready. */
const isReady = ({ ready }: ClusterProcess): Promise<boolean> =>
  ready.then(
    () => true,
    () => false,
  );

/** Undoes a start that failed. */
async function end({ identity }: ClusterProcess, record: ClusterRecord): Promise<void> {
  const hasEnded = await stopProcess(identity, { clock: realClock, timeoutMs: 10_000 });
  if (!hasEnded) await killProcess(identity, realClock);
  await writeRecord(record);
}

type Merged = Omit<Up, "isNew">;

/** Adds a cluster's context to the kubeconfig while waiting until the cluster can be used. */
async function settled(record: ClusterRecord, options: BringUpOptions): Promise<Merged> {
  const [merged, waited] = await Promise.allSettled([
    mergeContext(record, options),
    usable(record, options),
  ]);
  if (merged.status === "rejected") throw merged.reason;
  if (waited.status === "rejected") throw waited.reason;
  return merged.value;
}

async function usable(
  { dataDir, nodes }: ClusterRecord,
  { waits, timeoutMs, progress, signal }: BringUpOptions,
): Promise<void> {
  if (!waits) return;
  const path = adminPath(dataDir);
  const { client, close } = await connect({ path, inCluster: false });
  try {
    await untilUsable(client, { nodes, progress, timeoutMs, signal });
  } finally {
    close();
  }
}

/** Adds a cluster's context to the kubeconfig, and records the context that was current before. */
async function mergeContext(
  record: ClusterRecord,
  { kubeconfig = record.kubeconfig }: BringUpOptions,
): Promise<Merged> {
  const { name, dataDir } = record;
  const { path: admin, config } = await adminKubeconfig(dataDir);
  const warnings: string[] = [];
  let { previousContext } = record;
  try {
    await editKubeconfigFile(kubeconfig, (before) => {
      const current = before["current-context"] ?? "";
      if (current !== name) previousContext = current || undefined;
      return withClusterContext(before, name, config);
    });
  } catch (error) {
    warnings.push(`the kubeconfig was not changed: ${errorMessage(error)}`);
  }
  const remembered = { ...record, kubeconfig, previousContext };
  await writeRecord(remembered);
  return { record: remembered, admin, usesContext: warnings.length === 0, warnings };
}

/** Throws if the kubeconfig has a foreign entry of this name; checked before anything is started. */
async function checkContext({ name, kubeconfig }: BringUpOptions): Promise<void> {
  const { config } = await loadKubeconfig({ path: kubeconfig }).catch(() => ({ config: {} }));
  withClusterContext(config, name, {});
}

/** The kubeconfig that a server wrote for its administrator, and the port in it. */
async function adminKubeconfig(dataDir: string) {
  const path = adminPath(dataDir);
  const { config } = await loadKubeconfig({ path });
  const { server } = contextConnection(await chosenContext(config, undefined));
  return { path, config, port: Number(new URL(server).port) };
}

const adminPath = (dataDir: string): string => join(dataDir, "admin.kubeconfig");
