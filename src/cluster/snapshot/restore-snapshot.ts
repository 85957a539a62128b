import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, readdir, rename, rm, rmdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { ensurePrivateDir, syncFolder, writePrivateFile } from "../../platform/files.ts";
import { restoreLmdbStore } from "../../store/lmdb/restore-lmdb-store.ts";
import {
  decodeSnapshot,
  type SnapshotAbout,
  SnapshotError,
  type SnapshotFile,
  type SnapshotPart,
} from "../../store/snapshot/snapshot-format.ts";
import type { SnapshotEntry } from "../../store/snapshot/snapshot-source.ts";
import { stampDataDirectory } from "../opening/data-version.ts";
import { unsealFiles } from "./sealed-files.ts";

export interface RestoreSnapshotOptions {
  readonly file: string;
  /** The data directory to make; it must not exist, or be empty. */
  readonly dir: string;
  /** The one that the certificates and keys were encrypted with. */
  readonly passphrase?: string;
  /** By how much the revision goes up, beyond all that was written after the snapshot. */
  readonly bumpRevision?: number;
}

export interface RestoredSnapshot {
  readonly revision: number;
  readonly entries: number;
  readonly files: readonly string[];
}

/** What a snapshot says of itself and holds, once all of it was found to be sound. */
export interface CheckedSnapshot extends SnapshotAbout {
  readonly entries: number;
  readonly files: readonly SnapshotFile[];
  /** The files, if they are encrypted. */
  readonly sealed: Uint8Array | undefined;
}

/** A snapshot holds what nobody can read without a passphrase, and none was given. */
export class MissingPassphraseError extends SnapshotError {}

/** More than anybody writes between a snapshot and its restoration. */
const usualBump = 1_000_000_000;

/**
 * Makes a data directory from a snapshot; it is there whole or not at all. Its revision is higher than
 * any that the cluster had, so that clients who knew later ones start again instead of going back in
 * time.
 */
export async function restoreSnapshot(options: RestoreSnapshotOptions): Promise<RestoredSnapshot> {
  const { file, dir, passphrase, bumpRevision = usualBump } = options;
  await checkEmpty(dir);
  const snapshot = await checkSnapshot(file);
  const files = await openFiles(snapshot, passphrase);
  const revision = snapshot.revision + bumpRevision;
  const draft = `${resolve(dir)}.${randomUUID()}.new`;
  try {
    await mkdir(dirname(draft), { recursive: true });
    await ensurePrivateDir(draft);
    await restoreLmdbStore(join(draft, "store"), revision, entriesOf(file));
    for (const { name, content } of files) await restoreFile(draft, name, content);
    await stampDataDirectory(draft);
    await putInPlace(draft, dir);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
  return { revision, entries: snapshot.entries, files: files.map(({ name }) => name) };
}

/** Reads all of a snapshot, and fails if anything is wrong with it. */
export async function checkSnapshot(file: string): Promise<CheckedSnapshot> {
  let about: SnapshotAbout = { revision: 0, createdAt: "" };
  let entries = 0;
  const files: SnapshotFile[] = [];
  let sealed: Uint8Array | undefined;
  for await (const part of partsOf(file)) {
    if (part.type === "about") about = part.about;
    else if (part.type === "file") files.push(part.file);
    else if (part.type === "sealed") sealed = part.sealed;
    else entries++;
  }
  return { ...about, entries, files, sealed };
}

/** The entries of a snapshot, as they are read. */
export async function* entriesOf(file: string): AsyncGenerator<SnapshotEntry> {
  for await (const part of partsOf(file)) if (part.type === "entry") yield part.entry;
}

async function* partsOf(file: string): AsyncGenerator<SnapshotPart> {
  try {
    yield* decodeSnapshot(createReadStream(file), () => createHash("sha256"));
  } catch (error) {
    if (error instanceof SnapshotError) {
      throw new SnapshotError(`${file}: ${error.message}`, { cause: error.cause });
    }
    throw error;
  }
}

async function openFiles(
  { files, sealed }: CheckedSnapshot,
  passphrase: string | undefined,
): Promise<readonly SnapshotFile[]> {
  if (sealed === undefined) return files;
  if (passphrase === undefined) {
    throw new MissingPassphraseError(
      "the snapshot's certificates and keys are encrypted: give the passphrase",
    );
  }
  return [...files, ...(await unsealFiles(sealed, passphrase))];
}

async function checkEmpty(dir: string): Promise<void> {
  try {
    const [found] = await readdir(dir);
    if (found === undefined) return;
    throw new Error(`${dir} is not empty (${found}): choose another directory`);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return;
    throw error;
  }
}

/** Nothing outside of where certificates and keys belong, whatever a snapshot says. */
async function restoreFile(dir: string, name: string, content: Uint8Array): Promise<void> {
  if (!/^pki\/[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name)) {
    throw new SnapshotError(`the snapshot holds a file that belongs to no data directory: ${name}`);
  }
  await ensurePrivateDir(join(dir, "pki"));
  await writePrivateFile(join(dir, name), content);
}

async function putInPlace(draft: string, dir: string): Promise<void> {
  try {
    await rmdir(dir);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
  await rename(draft, dir);
  await syncFolder(dirname(draft));
}
