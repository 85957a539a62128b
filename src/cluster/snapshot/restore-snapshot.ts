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
import { ownKeyName, parseOwnKey, writeNewKey } from "../encryption/own-key.ts";
import { stampDataDirectory } from "../opening/data-version.ts";
import { decryptFiles } from "./encrypted-files.ts";
import { openResealing, type Resealing } from "./reseal-entries.ts";

export interface RestoreSnapshotOptions {
  readonly file: string;
  /** The data directory to create; it must be empty or not exist. */
  readonly dir: string;
  /** The passphrase that the certificates and keys were encrypted with. */
  readonly passphrase?: string;
  /** The key that secrets are encrypted with, if the snapshot does not hold it. */
  readonly secretsKey?: Uint8Array | undefined;
  /** The file with the EncryptionConfiguration of the server whose store is in the snapshot. */
  readonly encryption?: string | undefined;
  /** How much to add to the revision, to exceed every revision written after the snapshot. */
  readonly bumpRevision?: number;
}

export interface RestoredSnapshot {
  readonly revision: number;
  readonly entries: number;
  readonly files: readonly string[];
}

/** The contents of a snapshot whose checksums were verified. */
export interface CheckedSnapshot extends SnapshotAbout {
  readonly entries: number;
  readonly files: readonly SnapshotFile[];
  /** The files, if they are encrypted. */
  readonly sealed: Uint8Array | undefined;
}

/** The certificates and keys of a snapshot are encrypted, and no passphrase was given. */
export class MissingPassphraseError extends SnapshotError {}

/** More revisions than any cluster writes between a snapshot and its restoration. */
const usualBump = 1_000_000_000;

/**
 * Creates a data directory from a snapshot, completely or not at all. Its revision is higher than any that
 * the cluster had: clients that saw later revisions list again instead of going back in time. What is encrypted is
 * encrypted again with the key of the new directory: the one in the snapshot, or a new one.
 */
export async function restoreSnapshot(options: RestoreSnapshotOptions): Promise<RestoredSnapshot> {
  const { file, dir, passphrase, encryption, bumpRevision = usualBump } = options;
  await checkEmpty(dir);
  const snapshot = await checkSnapshot(file);
  const files = await openFiles(snapshot, passphrase);
  const revision = snapshot.revision + bumpRevision;
  const draft = `${resolve(dir)}.${randomUUID()}.new`;
  try {
    await mkdir(dirname(draft), { recursive: true });
    await ensurePrivateDir(draft);
    for (const { name, content } of files) await restoreFile(draft, name, content);
    const kept = ownKeyOf(files);
    const isMissing = !kept && options.secretsKey !== undefined;
    const made = isMissing ? await writeNewKey(draft) : undefined;
    const resealing = await openResealing({
      sourceKey: options.secretsKey ?? kept,
      targetKey: kept ?? made,
      configuration: encryption,
      keyPrefix: "/registry",
    });
    try {
      await restoreLmdbStore(join(draft, "store"), revision, resealed(file, resealing));
    } finally {
      resealing.close();
    }
    await stampDataDirectory(draft);
    await putInPlace(draft, dir);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
  return { revision, entries: snapshot.entries, files: files.map(({ name }) => name) };
}

/** Reads a whole snapshot, and throws if it is damaged. */
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

/** Reads the entries of a snapshot one by one. */
export async function* entriesOf(file: string): AsyncGenerator<SnapshotEntry> {
  for await (const part of partsOf(file)) if (part.type === "entry") yield part.entry;
}

/** Reads the entries of a snapshot as they are to be restored. */
export async function* resealed(file: string, resealing: Resealing): AsyncGenerator<SnapshotEntry> {
  for await (const entry of entriesOf(file)) yield resealing.reseal(entry);
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

/** The key that secrets are encrypted with, if it is among the files of a snapshot. */
export function ownKeyOf(files: readonly SnapshotFile[]): Uint8Array | undefined {
  const found = files.find(({ name }) => name === ownKeyName);
  return found && parseOwnKey(ownKeyName, new TextDecoder().decode(found.content));
}

/** The files of a snapshot, decrypted; throws if that needs a passphrase. */
export async function openFiles(
  { files, sealed }: CheckedSnapshot,
  passphrase: string | undefined,
): Promise<readonly SnapshotFile[]> {
  if (sealed === undefined) return files;
  if (passphrase === undefined) {
    throw new MissingPassphraseError(
      "the snapshot's certificates and keys are encrypted: give the passphrase",
    );
  }
  return [...files, ...(await decryptFiles(sealed, passphrase))];
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

/** Rejects file names of a snapshot that point outside of the directory for certificates and keys. */
async function restoreFile(dir: string, name: string, content: Uint8Array): Promise<void> {
  if (!/^pki\/[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name)) {
    throw new SnapshotError(
      `the snapshot holds a file that does not belong in a data directory: ${name}`,
    );
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
