import { readdir, rm } from "node:fs/promises";
import { errorMessage } from "../../base/error-message.ts";
import type { Kubeconfig } from "../../kubeconfig/kubeconfig.ts";
import { realClock } from "../../platform/real-clock.ts";
import { closeNodeBoxes, removeNodeBoxes } from "../node/node-boxes.ts";
import { checkDataDirectory } from "../opening/data-version.ts";
import { withoutClusterContext, withPreviousContext } from "./cluster-context.ts";
import { withClusterLock } from "./cluster-lock.ts";
import { killProcess, stopProcess } from "./cluster-process.ts";
import {
  type ClusterRecord,
  forgetCluster,
  knownRecord,
  runs,
  writeRecord,
} from "./cluster-record.ts";
import { editKubeconfigFile } from "./edit-kubeconfig-file.ts";

export interface TakeDownOptions {
  readonly timeoutMs: number;
  /** Whether to kill a process that does not stop in time. */
  readonly isForced: boolean;
  readonly signal: AbortSignal;
}

/** The outcome of stopping or deleting a cluster. */
export interface TakenDown {
  readonly record: ClusterRecord;
  readonly wasRunning: boolean;
  readonly warnings: readonly string[];
}

/** Stops a cluster and keeps its data; an ephemeral cluster is deleted. */
export function takeDown(name: string, options: TakeDownOptions): Promise<TakenDown> {
  return locked(name, async (record) => {
    const wasRunning = await stop(record, options);
    await closeNodeBoxes(record.dataDir);
    if (record.isEphemeral) return { record, wasRunning, warnings: await remove(record) };
    const { process: _, ...stopped } = record;
    // A record that cannot be written does no harm: a process that reuses the pid is recognised.
    await writeRecord(stopped).catch(() => undefined);
    const { previousContext } = record;
    const warnings = await edited(record, (config) =>
      withPreviousContext(config, name, previousContext),
    );
    return { record, wasRunning, warnings };
  });
}

/** Stops a cluster and deletes its data, record and context. */
export function deleteCluster(name: string, options: TakeDownOptions): Promise<TakenDown> {
  return locked(name, async (record) => {
    await checkRemovable(record);
    const wasRunning = await stop(record, options);
    return { record, wasRunning, warnings: await remove(record) };
  });
}

/** Runs a function on an existing cluster while holding its lock. */
async function locked<T>(name: string, work: (record: ClusterRecord) => Promise<T>): Promise<T> {
  await knownRecord(name);
  return withClusterLock(name, async () => work(await knownRecord(name)));
}

async function stop(
  record: ClusterRecord,
  { timeoutMs, isForced, signal }: TakeDownOptions,
): Promise<boolean> {
  const { name, process: identity } = record;
  if (!identity || !runs(record)) return false;
  if (await stopProcess(identity, { clock: realClock, timeoutMs, signal })) return true;
  if (!isForced)
    throw new Error(
      `the cluster "${name}" (process ${identity.pid}) did not stop in time: allow more with --timeout, or kill it with --force, which loses no acknowledged write`,
    );
  await killProcess(identity, realClock);
  return true;
}

async function remove(record: ClusterRecord): Promise<readonly string[]> {
  const { name, dataDir, previousContext } = record;
  const warnings = await edited(record, (config) =>
    withoutClusterContext(config, name, previousContext),
  );
  await removeNodeBoxes(dataDir);
  await rm(dataDir, { recursive: true, force: true });
  await forgetCluster(name);
  return warnings;
}

/** Throws if a data directory holds foreign files: deleting the cluster removes the whole directory. */
async function checkRemovable({ name, dataDir }: ClusterRecord): Promise<void> {
  const entries = await readdir(dataDir).catch(() => []);
  const unknown = entries.filter((entry) => !ownEntries.has(entry));
  const isCluster = entries.length === 0 || (await checkDataDirectory(dataDir)) !== undefined;
  if (isCluster && unknown.length === 0) return;
  throw new Error(
    isCluster
      ? `${dataDir}, which holds the data of the cluster "${name}", also holds ${unknown.slice(0, 3).join(", ")}: move that away first, because the whole directory is removed`
      : `${dataDir} does not hold the data of a cluster: nothing was removed`,
  );
}

/** The files that a server writes to its data directory. */
const ownEntries: ReadonlySet<string> = new Set([
  "admin.kubeconfig",
  "nodes",
  "pki",
  "store",
  "wherry.json",
]);

async function edited(
  { kubeconfig }: ClusterRecord,
  edit: (config: Kubeconfig) => Kubeconfig,
): Promise<readonly string[]> {
  try {
    await editKubeconfigFile(kubeconfig, edit);
    return [];
  } catch (error) {
    return [`the kubeconfig was not changed: ${errorMessage(error)}`];
  }
}
