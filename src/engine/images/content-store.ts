import { createHash, type Hash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { syncFolder } from "../../platform/files.ts";
import { digestOf, hexOf } from "./digest.ts";

/**
 * Blobs under their digests, in `blobs/sha256`. A blob is written to `ingest` and renamed once its bytes are
 * synced and its digest is right, so that a kill at any point leaves either the whole blob or none.
 */
export class ContentStore {
  readonly #blobs: string;
  readonly #ingests: string;
  /** The paths that are being written. */
  readonly #open = new Set<string>();

  private constructor(root: string) {
    this.#blobs = join(root, "blobs", "sha256");
    this.#ingests = join(root, "ingest");
  }

  static async open(root: string): Promise<ContentStore> {
    const store = new ContentStore(root);
    await mkdir(store.#blobs, { recursive: true, mode: 0o700 });
    await mkdir(store.#ingests, { recursive: true, mode: 0o700 });
    return store;
  }

  /** The bytes of a blob; undefined if there is none. */
  async size(digest: string): Promise<number | undefined> {
    return (await statIfPresent(this.#pathOf(digest)))?.size;
  }

  /** Reads a small blob as a whole, and checks its digest. */
  async read(digest: string, mostBytes = mostDocumentBytes): Promise<Buffer> {
    const file = await open(this.#pathOf(digest), "r").catch((cause: unknown) => {
      throw new Error(`content digest ${digest}: not found`, { cause });
    });
    try {
      const { size } = await file.stat();
      if (size > mostBytes) throw new Error(`content ${digest} has more than ${mostBytes} bytes`);
      const bytes = await file.readFile();
      if (digestOf(bytes) !== digest) throw new Error(`content ${digest} is damaged`);
      return bytes;
    } finally {
      await file.close();
    }
  }

  stream(digest: string): Readable {
    return createReadStream(this.#pathOf(digest), { highWaterMark: 256 * 1024 });
  }

  async put(data: string | Uint8Array): Promise<string> {
    const digest = digestOf(data);
    if ((await this.size(digest)) !== undefined) return digest;
    const ingest = await this.begin();
    try {
      await ingest.write(Buffer.from(data));
      return await ingest.commit(digest);
    } finally {
      await ingest.close();
    }
  }

  /**
   * Starts to write a blob. With a digest, bytes that an earlier attempt has written are kept: writing
   * continues at `offset`.
   */
  async begin(digest?: string): Promise<Ingest> {
    const name = digest === undefined ? `new-${randomUUID()}` : hexOf(digest);
    const path = join(this.#ingests, name);
    const ingest = await openIngest(path, (found) => this.#pathOf(found));
    this.#open.add(path);
    const close = ingest.close;
    ingest.close = () => close().finally(() => this.#open.delete(path));
    return ingest;
  }

  /** Every blob, with the time when it was written. */
  async list(): Promise<StoredBlob[]> {
    const names = await readdir(this.#blobs);
    const blobs = await Promise.all(
      names.map(async (name) => {
        const found = await statIfPresent(join(this.#blobs, name));
        return found && { digest: `sha256:${name}`, size: found.size, writtenAt: found.mtimeMs };
      }),
    );
    return blobs.filter((blob) => blob !== undefined);
  }

  /** Removes a blob; one that does not exist is not an error. */
  async remove(digest: string): Promise<void> {
    await rm(this.#pathOf(digest), { force: true });
  }

  /** Removes what interrupted writes left before a time, and nobody continues; returns its bytes. */
  async removeIngests(before: number): Promise<number> {
    let bytes = 0;
    for (const name of await readdir(this.#ingests)) {
      const path = join(this.#ingests, name);
      const found = await statIfPresent(path);
      if (found === undefined || found.mtimeMs >= before || this.#open.has(path)) continue;
      await rm(path, { force: true });
      bytes += found.size;
    }
    return bytes;
  }

  #pathOf(digest: string): string {
    return join(this.#blobs, hexOf(digest));
  }
}

export interface StoredBlob {
  readonly digest: string;
  readonly size: number;
  readonly writtenAt: number;
}

/** A blob that is being written. */
export interface Ingest {
  /** The bytes that are written so far. */
  readonly offset: number;
  write(bytes: Uint8Array): Promise<void>;
  /** Makes the bytes a blob and returns its digest; throws if that is not the expected one. */
  commit(expected?: string): Promise<string>;
  /** Drops what is written, to start over. */
  reset(): Promise<void>;
  /** Keeps what is written for another attempt, if the digest was given; harmless after `commit`. */
  close(): Promise<void>;
}

/** The largest document (manifest or configuration) that is read into memory. */
export const mostDocumentBytes = 8 * 1024 * 1024;

async function openIngest(path: string, blobPath: (digest: string) => string): Promise<Ingest> {
  const file = await open(path, "a+", 0o600);
  let { hash, size: offset } = await hashOf(file);
  let isCommitted = false;
  let isClosed = false;
  const discard = async (): Promise<void> => {
    hash = createHash("sha256");
    offset = 0;
    await file.truncate(0);
  };
  return {
    get offset() {
      return offset;
    },
    async write(bytes) {
      hash.update(bytes);
      offset += bytes.length;
      for (let at = 0; at < bytes.length; )
        at += (await file.write(bytes, at, bytes.length - at)).bytesWritten;
    },
    async commit(expected) {
      const digest = `sha256:${hash.digest("hex")}`;
      if (expected !== undefined && digest !== expected) {
        await discard();
        throw new Error(
          `unexpected commit digest ${digest}, expected ${expected}: failed precondition`,
        );
      }
      await file.sync();
      await rename(path, blobPath(digest));
      isCommitted = true;
      await syncFolder(join(blobPath(digest), ".."));
      return digest;
    },
    reset: discard,
    async close() {
      if (isClosed) return;
      isClosed = true;
      await file.close();
      const isAnonymous = /\/new-[^/]*$/.test(path);
      if (!isCommitted && (isAnonymous || offset === 0)) await rm(path, { force: true });
    },
  };
}

async function hashOf(file: FileHandle): Promise<{ hash: Hash; size: number }> {
  const hash = createHash("sha256");
  const buffer = Buffer.allocUnsafe(256 * 1024);
  for (let size = 0; ; ) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, size);
    if (bytesRead === 0) return { hash, size };
    hash.update(buffer.subarray(0, bytesRead));
    size += bytesRead;
  }
}

async function statIfPresent(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
