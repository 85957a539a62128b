import { readdir, rm } from "node:fs/promises";
import { errorMessage } from "../../base/error-message.ts";
import type { Kubeconfig } from "../../kubeconfig/kubeconfig.ts";
import { realClock } from "../../platform/real-clock.ts";
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
  /** Whether a process that does not end in time is ended by force. */
  readonly isForced: boolean;
  readonly signal: AbortSignal;
}

/** What was done to a cluster. */
export interface TakenDown {
  readonly record: ClusterRecord;
  readonly wasRunning: boolean;
  readonly warnings: readonly string[];
}

/** Stops a cluster, whose state stays; one that is ephemeral is gone then. */
export function takeDown(name: string, options: TakeDownOptions): Promise<TakenDown> {
  return locked(name, async (record) => {
    const wasRunning = await stop(record, options);
    if (record.isEphemeral) return { record, wasRunning, warnings: await remove(record) };
    const { process: _, ...stopped } = record;
    // That it ran is no longer true in any case, and its process is never taken for another.
    await writeRecord(stopped).catch(() => undefined);
    const { previousContext } = record;
    const warnings = await edited(record, (config) =>
      withPreviousContext(config, name, previousContext),
    );
    return { record, wasRunning, warnings };
  });
}

/** Stops a cluster and removes all that belongs to it. */
export function deleteCluster(name: string, options: TakeDownOptions): Promise<TakenDown> {
  return locked(name, async (record) => {
    await checkRemovable(record);
    const wasRunning = await stop(record, options);
    return { record, wasRunning, warnings: await remove(record) };
  });
}

/** A cluster that must be there, while nobody else starts or stops it. */
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
      `the cluster "${name}" (process ${identity.pid}) did not end in time: give it longer with --timeout, or end it with --force, which loses nothing that it has answered`,
    );
  await killProcess(identity, realClock);
  return true;
}

async function remove(record: ClusterRecord): Promise<readonly string[]> {
  const { name, dataDir, previousContext } = record;
  const warnings = await edited(record, (config) =>
    withoutClusterContext(config, name, previousContext),
  );
  await rm(dataDir, { recursive: true, force: true });
  await forgetCluster(name);
  return warnings;
}

/** Throws where what is called a cluster's directory is not one: it would be removed with all that is in it. */
async function checkRemovable({ name, dataDir }: ClusterRecord): Promise<void> {
  const entries = await readdir(dataDir).catch(() => []);
  const unknown = entries.filter((entry) => !ownEntries.has(entry));
  const isCluster = entries.length === 0 || (await checkDataDirectory(dataDir)) !== undefined;
  if (isCluster && unknown.length === 0) return;
  throw new Error(
    isCluster
      ? `${dataDir}, which holds the state of the cluster "${name}", also holds ${unknown.slice(0, 3).join(", ")}: move that away first, because the whole directory is removed`
      : `${dataDir} does not hold the state of a cluster: nothing is removed`,
  );
}

/** What a server puts into its data directory. */
const ownEntries: ReadonlySet<string> = new Set([
  "admin.kubeconfig",
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
    return [`the kubeconfig is as it was: ${errorMessage(error)}`];
  }
}
