import { createHash, randomUUID } from "node:crypto";
import { open, readdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { checkPrivate, syncFolder } from "../../platform/files.ts";
import {
  encodeSnapshot,
  type SnapshotFile,
  type SnapshotPart,
} from "../../store/snapshot/snapshot-format.ts";
import { type Expiring, entriesAt } from "../../store/snapshot/snapshot-source.ts";
import { type Store, StoreError } from "../../store/store.ts";
import { encryptFiles } from "./encrypted-files.ts";

export interface WriteSnapshotOptions {
  readonly store: Store & Partial<Expiring>;
  /** The file to write; an existing one is replaced when the new one is complete. */
  readonly file: string;
  readonly now: Date;
  /** The data directory whose certificates and keys are included; none by default. */
  readonly dataDir?: string;
  /** Encrypts the certificates and keys. */
  readonly passphrase?: string;
}

export interface WrittenSnapshot {
  readonly revision: number;
  readonly entries: number;
  /** The names of the included files. */
  readonly files: readonly string[];
  readonly bytes: number;
}

/** How often a snapshot is restarted because its revision was compacted. */
const attempts = 3;

/**
 * Writes a store as of one revision to a file that only its owner may read, while others write to the
 * store. The file is written completely and synced to disk, or not at all.
 */
export async function writeSnapshot(options: WriteSnapshotOptions): Promise<WrittenSnapshot> {
  const files = options.dataDir === undefined ? [] : await filesBeside(options.dataDir);
  const { file } = options;
  const draft = `${file}.${randomUUID()}.new`;
  try {
    const written = await writeDraft(draft, options, files);
    await rename(draft, file);
    await syncFolder(dirname(file));
    return written;
  } catch (cause) {
    await rm(draft, { force: true });
    if (cause instanceof StoreError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`cannot write ${file}: ${reason}`, { cause });
  }
}

async function writeDraft(
  draft: string,
  options: WriteSnapshotOptions,
  files: readonly SnapshotFile[],
): Promise<WrittenSnapshot> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await writeOnce(draft, options, files);
    } catch (error) {
      const compacted = error instanceof StoreError && error.code === "Compacted";
      if (!compacted || attempt === attempts) throw error;
      await rm(draft, { force: true });
    }
  }
}

async function writeOnce(
  draft: string,
  { store, now, passphrase }: WriteSnapshotOptions,
  files: readonly SnapshotFile[],
): Promise<WrittenSnapshot> {
  const revision = await store.currentRevision();
  let [entries, bytes] = [0, 0];
  const parts = async function* (): AsyncGenerator<SnapshotPart> {
    yield { type: "about", about: { revision, createdAt: now.toISOString() } };
    for await (const entry of entriesAt(store, revision)) {
      entries++;
      yield { type: "entry", entry };
    }
    if (files.length === 0) return;
    if (passphrase !== undefined) {
      yield { type: "sealed", sealed: await encryptFiles(files, passphrase) };
    } else for (const file of files) yield { type: "file", file };
  };
  const handle = await open(draft, "wx", 0o600);
  try {
    for await (const chunk of gather(encodeSnapshot(parts(), () => createHash("sha256")))) {
      await handle.writeFile(chunk);
      bytes += chunk.length;
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { revision, entries, files: files.map(({ name }) => name), bytes };
}

/** Collects chunks, so that there are fewer and larger writes. */
async function* gather(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let [waiting, bytes] = [[] as Uint8Array[], 0];
  for await (const chunk of chunks) {
    waiting.push(chunk);
    bytes += chunk.length;
    if (bytes < 2 ** 18) continue;
    yield Buffer.concat(waiting);
    [waiting, bytes] = [[], 0];
  }
  yield Buffer.concat(waiting);
}

/** The files beside the store that a cluster needs to start elsewhere. */
async function filesBeside(dataDir: string): Promise<SnapshotFile[]> {
  const names = (await readdir(join(dataDir, "pki"), { withFileTypes: true }))
    .filter((entry) => entry.isFile() && /\.(crt|key|pub)$/.test(entry.name))
    .map(({ name }) => `pki/${name}`)
    .sort();
  return await Promise.all(
    names.map(async (name) => {
      const path = join(dataDir, name);
      if (name.endsWith(".key")) await checkPrivate(path);
      return { name, content: await readFile(path) };
    }),
  );
}
