import { open, readFile, rm } from "node:fs/promises";
import {
  identifyProcess,
  isRunning,
  type ProcessIdentity,
} from "../../platform/process-identity.ts";
import { clusterPaths } from "./cluster-record.ts";
import { ensureWritableDir } from "./data-room.ts";

/** Does something with a cluster while nobody else may; throws at once where somebody else is at it. */
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
      // On a full disk it is a lock all the same, by which a cluster can be stopped and removed.
      await file.writeFile(JSON.stringify(identifyProcess(process.pid))).catch(() => undefined);
      await file.close();
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const owner = await ownerOf(path);
    if (tries > 1 || (owner && isRunning(owner)))
      throw new Error(
        `somebody else is starting or stopping the cluster "${name}" right now${owner ? ` (process ${owner.pid})` : ""}: wait for them, or remove ${path} if nobody is`,
      );
    // Its owner has ended without releasing it.
    await rm(path, { force: true });
  }
}

/** The owner of a lock; undefined where it is not written yet, or never was. */
async function ownerOf(path: string): Promise<ProcessIdentity | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as ProcessIdentity;
  } catch {
    return undefined;
  }
}
