import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, readlink, rm, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import {
  identifyProcess,
  isRunning,
  type ProcessIdentity,
} from "../../platform/process-identity.ts";

/** Thrown when another process has the image store open. */
export class ImageStoreInUse extends Error {
  override readonly name = "ImageStoreInUse";
  readonly holder: ProcessIdentity;

  constructor(path: string, holder: ProcessIdentity) {
    super(
      `the image store is in use by process ${holder.pid}: wait until it ends (its lock is in ${path})`,
    );
    this.holder = holder;
  }
}

/**
 * Locks an image store for this process; returns what unlocks it. A lock is a link in `locks` that names its
 * process by pid and start time, so that a process that was killed does not keep it: unlike a file, a link needs no
 * room on a full disk. It is made before the others are looked at: of two processes at least one sees the other. If
 * both do, both withdraw and try again.
 */
export async function lockStore(root: string): Promise<() => Promise<void>> {
  const folder = join(root, "locks");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (let tries = 1; ; tries++) {
    const name = randomUUID();
    const { pid, startedAt } = identifyProcess(process.pid) ?? { pid: process.pid, startedAt: "" };
    await symlink(`${pid} ${startedAt}`, join(folder, name));
    const unlock = (): Promise<void> => rm(join(folder, name), { force: true });
    const holder = await otherHolder(folder, name);
    if (holder === undefined) return unlock;
    await unlock();
    if (tries >= mostTries) throw new ImageStoreInUse(folder, holder);
    await wait(Math.random() * tries * waitMs);
  }
}

const mostTries = 4;
const waitMs = 10;

/** A running process with another lock; locks of processes that have ended are removed. */
async function otherHolder(folder: string, own: string): Promise<ProcessIdentity | undefined> {
  for (const name of await readdir(folder)) {
    if (name === own) continue;
    // A draft is no lock yet; one that stays was left by a kill.
    if (name.includes(".")) {
      await removeOldDraft(join(folder, name));
      continue;
    }
    const holder = await readHolder(join(folder, name));
    if (holder !== undefined && isRunning(holder)) return holder;
    await rm(join(folder, name), { force: true });
  }
  return undefined;
}

async function removeOldDraft(path: string): Promise<void> {
  const age = Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now());
  if (age > draftMs) await rm(path, { force: true });
}

const draftMs = 60_000;

/**
 * The process of a lock; undefined if it was released meanwhile, or a crash of the machine has damaged it. Locks were
 * files of JSON once.
 */
async function readHolder(path: string): Promise<ProcessIdentity | undefined> {
  const link = await readlink(path).catch(() => undefined);
  const [, pid, startedAt] = /^(\d+) (.+)$/.exec(link ?? "") ?? [];
  if (pid !== undefined && startedAt !== undefined) return { pid: Number(pid), startedAt };
  try {
    return JSON.parse(await readFile(path, "utf8")) as ProcessIdentity;
  } catch {
    return undefined;
  }
}
