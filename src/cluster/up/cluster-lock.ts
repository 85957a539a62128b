import { open, readFile, rm } from "node:fs/promises";
import {
  identifyProcess,
  isRunning,
  type ProcessIdentity,
} from "../../platform/process-identity.ts";
import { clusterPaths } from "./cluster-record.ts";
import { ensureWritableDir } from "./data-room.ts";

/** Runs a function while holding a cluster's lock; throws at once if another process holds it. */
export async function withClusterLock<T>(name: string, work: () => Promise<T>): Promise<T> {
  const { dir, lock } = clusterPaths(name);
  await ensureWritableDir(dir);
  await take(name, lock);
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

async function take(name: string, path: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      const file = await open(path, "wx", 0o600);
      // An empty file is a lock, too: a cluster can be stopped and deleted while the disk is full.
      await file.writeFile(JSON.stringify(identifyProcess(process.pid))).catch(() => undefined);
      await file.close();
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const owner = await ownerOf(path);
    if (tries > 1 || (owner && isRunning(owner)))
      throw new Error(
        `another command is starting or stopping the cluster "${name}"${owner ? ` (process ${owner.pid})` : ""}: wait until it ends, or remove ${path} if none is running`,
      );
    // Its owner has ended without releasing it.
    await rm(path, { force: true });
  }
}

/** The owner of a lock; undefined if the file is empty. */
async function ownerOf(path: string): Promise<ProcessIdentity | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as ProcessIdentity;
  } catch {
    return undefined;
  }
}
