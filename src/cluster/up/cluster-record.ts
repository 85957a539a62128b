import { readdir, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { ensurePrivateDir, writePrivateFile } from "../../platform/files.ts";
import { readIfPresent } from "../../platform/pki/pki-files.ts";
import { isRunning, type ProcessIdentity } from "../../platform/process-identity.ts";

/** What is remembered of a cluster that runs in the background, or did. */
export interface ClusterRecord {
  readonly name: string;
  /** Where all its state is. */
  readonly dataDir: string;
  /** Whether its state goes when it is stopped. */
  readonly isEphemeral: boolean;
  readonly nodes: number;
  /** Where it listens, and will again; 0 before it has ever. */
  readonly port: number;
  /** The version of Wherry that started it last. */
  readonly version: string;
  /** The process that runs it; whether it still does is another question. */
  readonly process?: ProcessIdentity | undefined;
  /** When it was last started, in milliseconds since the epoch. */
  readonly startedAt?: number | undefined;
  /** The file in which its context was put, where it was not by `KUBECONFIG` and the like. */
  readonly kubeconfig?: string | undefined;
  /** The context that was current before. */
  readonly previousContext?: string | undefined;
}

export const defaultName = "wherry";

/** Throws where a cluster cannot be called so. */
export function checkName(name: string): void {
  if (/^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/.test(name) && !name.includes("..")) return;
  throw new Error(
    `"${name}" is no name for a cluster: take lower-case letters, digits, "-" and ".", at most 63`,
  );
}

/** The directory that remembers all clusters of a user. */
function clustersDir(env: NodeJS.ProcessEnv = process.env): string {
  const data = env.XDG_DATA_HOME || join(env.HOME || homedir(), ".local", "share");
  return join(data, "wherry", "clusters");
}

/** What belongs to a cluster, beside its data. */
export const clusterPaths = (name: string) => {
  const dir = join(clustersDir(), name);
  return {
    dir,
    record: join(dir, "cluster.json"),
    lock: join(dir, "lock"),
    log: join(dir, "server.log"),
    /** Where its data are if nobody says it. */
    data: join(dir, "data"),
  };
};

/** What is remembered of a cluster; undefined where nothing is. */
export async function readRecord(name: string): Promise<ClusterRecord | undefined> {
  checkName(name);
  const path = clusterPaths(name).record;
  const text = await readIfPresent(path);
  if (text === undefined) return undefined;
  try {
    const record = JSON.parse(text) as ClusterRecord;
    if (typeof record.dataDir === "string" && record.dataDir !== "") return { ...record, name };
  } catch {
    // Said below.
  }
  throw new Error(
    `${path} cannot be read: restore it from a backup, or remove ${clusterPaths(name).dir} and with it the cluster "${name}"`,
  );
}

/** Remembers a cluster. */
export async function writeRecord({ name, ...record }: ClusterRecord): Promise<void> {
  const { dir, record: path } = clusterPaths(name);
  await ensurePrivateDir(dir);
  await writePrivateFile(path, `${JSON.stringify(record, undefined, 2)}\n`);
}

/** Forgets a cluster, and removes what belongs to it but its data, where these are elsewhere. */
export async function forgetCluster(name: string): Promise<void> {
  await rm(clusterPaths(name).dir, { recursive: true, force: true });
}

/** All clusters that are remembered, by name. */
export async function listRecords(): Promise<ClusterRecord[]> {
  const names = await readdir(clustersDir()).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  const records = await Promise.all(names.sort().map((name) => readRecord(name)));
  return records.filter((record) => record !== undefined);
}

/** Whether a cluster runs: its process does, and not another that got its number. */
export const runs = ({ process }: ClusterRecord): boolean =>
  process !== undefined && isRunning(process);

/** A cluster that must be there. */
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
