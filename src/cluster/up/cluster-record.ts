import { readdir, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { ensurePrivateDir, writePrivateFile } from "../../platform/files.ts";
import { readIfPresent } from "../../platform/pki/pki-files.ts";
import { isRunning, type ProcessIdentity } from "../../platform/process-identity.ts";
import type { ClusterRanges } from "../box/choose-ranges.ts";

/** The record of a cluster that was started in the background, running or stopped. */
export interface ClusterRecord {
  readonly name: string;
  /** Its data directory. */
  readonly dataDir: string;
  /** Whether its data is deleted when it is stopped. */
  readonly isEphemeral: boolean;
  /** How many nodes it has. */
  readonly nodes: number;
  /** How many of its nodes are boxes that run containers; absent for none. */
  readonly realNodes?: number | undefined;
  /** The addresses of boxes and of their pods. */
  readonly ranges?: ClusterRanges | undefined;
  /** The port it listens on, also after the next start; 0 before the first start. */
  readonly port: number;
  /** The version of Wherry that last started it. */
  readonly version: string;
  /** The process that ran it last, which may have ended; see `runs`. */
  readonly process?: ProcessIdentity | undefined;
  /** When it was last started, in milliseconds since the epoch. */
  readonly startedAt?: number | undefined;
  /** The kubeconfig that has its context; absent for the default one. */
  readonly kubeconfig?: string | undefined;
  /** The context that was current before the cluster's. */
  readonly previousContext?: string | undefined;
}

export const defaultName = "wherry";

/** Throws if this is not a valid name for a cluster. */
export function checkName(name: string): void {
  if (/^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/.test(name) && !name.includes("..")) return;
  throw new Error(
    `"${name}" is not a valid cluster name: use at most 63 lower-case letters, digits, "-" and "."`,
  );
}

/** The directory that holds the records of all clusters of a user. */
function clustersDir(env: NodeJS.ProcessEnv = process.env): string {
  const data = env.XDG_DATA_HOME || join(env.HOME || homedir(), ".local", "share");
  return join(data, "wherry", "clusters");
}

/** The files of a cluster beside its data directory. */
export const clusterPaths = (name: string) => {
  const dir = join(clustersDir(), name);
  return {
    dir,
    record: join(dir, "cluster.json"),
    lock: join(dir, "lock"),
    log: join(dir, "server.log"),
    /** The default data directory of a cluster. */
    data: join(dir, "data"),
  };
};

/** Reads the record of a cluster; undefined if there is none. */
export async function readRecord(name: string): Promise<ClusterRecord | undefined> {
  checkName(name);
  const path = clusterPaths(name).record;
  const text = await readIfPresent(path);
  if (text === undefined) return undefined;
  try {
    const record = JSON.parse(text) as ClusterRecord;
    if (typeof record.dataDir === "string" && record.dataDir !== "") return { ...record, name };
  } catch {
    // Reported below, together with records that parse but are incomplete.
  }
  throw new Error(
    `${path} cannot be read: restore it from a backup, or delete the cluster "${name}" by removing ${clusterPaths(name).dir}`,
  );
}

/** Writes the record of a cluster. */
export async function writeRecord({ name, ...record }: ClusterRecord): Promise<void> {
  const { dir, record: path } = clusterPaths(name);
  await ensurePrivateDir(dir);
  await writePrivateFile(path, `${JSON.stringify(record, undefined, 2)}\n`);
}

/** Removes a cluster's record and files; a data directory elsewhere is not touched. */
export async function forgetCluster(name: string): Promise<void> {
  await rm(clusterPaths(name).dir, { recursive: true, force: true });
}

/** The records of all clusters, sorted by name. */
export async function listRecords(): Promise<ClusterRecord[]> {
  const names = await readdir(clustersDir()).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  const records = await Promise.all(names.sort().map((name) => readRecord(name)));
  return records.filter((record) => record !== undefined);
}

/** Whether a cluster's process is running; another process that reuses its pid does not count. */
export const runs = ({ process }: ClusterRecord): boolean =>
  process !== undefined && isRunning(process);

/** Reads the record of a cluster; throws if there is none. */
export async function knownRecord(name: string): Promise<ClusterRecord> {
  const record = await readRecord(name);
  if (record) return record;
  const others = (await listRecords()).map((one) => `"${one.name}"`);
  const hint =
    others.length === 0
      ? `start one with "wherry up"`
      : `there ${others.length === 1 ? "is" : "are"} ${others.join(", ")}`;
  throw new Error(`there is no cluster "${name}": ${hint}`);
}
