import { open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import {
  identifyProcess,
  isRunning,
  type ProcessIdentity,
} from "../../platform/process-identity.ts";

/** Thrown when another process has the image store open. */
export class ImageStoreInUse extends Error {
  override readonly name = "ImageStoreInUse";
  readonly holder: ProcessIdentity | undefined;

  constructor(path: string, holder: ProcessIdentity | undefined) {
    const process = holder === undefined ? "another process" : `process ${holder.pid}`;
    super(
      `the image store is in use by ${process}: wait until it ends, or remove ${path} if none is running`,
    );
    this.holder = holder;
  }
}

/**
 * Locks an image store for this process; returns what unlocks it. The lock names its process by pid and
 * start time, so that a process that was killed does not keep it.
 */
export async function lockStore(root: string): Promise<() => Promise<void>> {
  const path = join(root, "lock");
  for (let tries = 1; ; tries++) {
    try {
      const file = await open(path, "wx", 0o600);
      await file.writeFile(JSON.stringify(identifyProcess(process.pid)));
      await file.close();
      return () => rm(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const holder = await holderOf(path);
    if (tries > 3 || (holder !== undefined && isRunning(holder)))
      throw new ImageStoreInUse(path, holder);
    await rm(path, { force: true });
  }
}

async function holderOf(path: string): Promise<ProcessIdentity | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as ProcessIdentity;
  } catch {
    return undefined;
  }
}
