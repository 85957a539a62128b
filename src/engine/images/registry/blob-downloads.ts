import { setTimeout as wait } from "node:timers/promises";
import type { ContentStore, Ingest } from "../content-store.ts";
import type { Descriptor } from "../manifest.ts";
import { SharedWork } from "../shared-work.ts";
import { Slots } from "../slots.ts";
import type { RegistryClient } from "./registry-client.ts";
import { RegistryError } from "./registry-error.ts";

export interface DownloadOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called with the bytes that are there so far. */
  readonly onBytes?: ((bytes: number) => void) | undefined;
}

export interface BlobDownloadsOptions {
  /** How many are downloaded at once. */
  readonly parallel: number;
  /** How long to wait before the second attempt; each further wait is twice as long. */
  readonly retryMs: number;
}

/** Downloads blobs into the content store, each once, whoever needs it. */
export class BlobDownloads {
  readonly #content: ContentStore;
  readonly #slots: Slots;
  readonly #retryMs: number;
  readonly #work = new SharedWork<void>();
  readonly #listeners = new Map<string, Set<(bytes: number) => void>>();

  constructor(content: ContentStore, { parallel, retryMs }: BlobDownloadsOptions) {
    this.#content = content;
    this.#slots = new Slots(parallel);
    this.#retryMs = retryMs;
  }

  /** Makes sure that a blob is stored, with the digest and the size of its descriptor. */
  async ensure(
    client: RegistryClient,
    blob: Descriptor,
    { signal, onBytes }: DownloadOptions = {},
  ): Promise<void> {
    const listeners = this.#listeners.get(blob.digest) ?? new Set();
    this.#listeners.set(blob.digest, listeners);
    if (onBytes) listeners.add(onBytes);
    try {
      await this.#work.run(blob.digest, (aborted) => this.#ensure(client, blob, aborted), signal);
    } finally {
      if (onBytes) listeners.delete(onBytes);
      if (listeners.size === 0) this.#listeners.delete(blob.digest);
    }
  }

  async #ensure(client: RegistryClient, blob: Descriptor, signal: AbortSignal): Promise<void> {
    const stored = await this.#content.size(blob.digest);
    if (stored === blob.size) return;
    if (stored !== undefined) throw wrongSize(blob, stored);
    await this.#slots.run(() => this.#download(client, blob, signal), signal);
  }

  async #download(client: RegistryClient, blob: Descriptor, signal: AbortSignal): Promise<void> {
    const ingest = await this.#content.begin(blob.digest);
    try {
      if (ingest.offset > blob.size) await ingest.reset();
      const isResumed = ingest.offset > 0;
      await this.#fill(client, { blob, ingest, signal });
      await commit(blob, ingest).catch(async (error: unknown) => {
        if (!isResumed) throw error;
        // What an earlier attempt left may have been the damaged part.
        await this.#fill(client, { blob, ingest, signal });
        await commit(blob, ingest);
      });
    } finally {
      await ingest.close();
    }
  }

  /** Downloads until all bytes are there, over several connections if need be. */
  async #fill(client: RegistryClient, filling: Filling): Promise<void> {
    const { blob, ingest, signal } = filling;
    const begin = ingest.offset;
    for (let faults = 0; ingest.offset < blob.size; ) {
      try {
        await this.#copy(client, filling);
      } catch (error) {
        signal.throwIfAborted();
        faults++;
        if (isFinal(error) || faults >= allowedFaults(ingest.offset - begin))
          throw failedCopy(error);
        await wait(this.#retryMs * 2 ** Math.min(faults - 1, 6), undefined, { signal });
      }
    }
  }

  async #copy(client: RegistryClient, { blob, ingest, signal }: Filling): Promise<void> {
    const { start, body } = await client.blob(blob, ingest.offset, signal);
    try {
      if (start !== ingest.offset) await ingest.reset();
      for await (const chunk of body) {
        const bytes = chunk as Buffer;
        if (ingest.offset + bytes.length > blob.size)
          throw wrongSize(blob, ingest.offset + bytes.length);
        await ingest.write(bytes);
        for (const listener of this.#listeners.get(blob.digest) ?? []) listener(ingest.offset);
      }
    } finally {
      body.destroy();
    }
    if (ingest.offset < blob.size) throw new RegistryError("Unreachable", "unexpected EOF");
  }
}

interface Filling {
  readonly blob: Descriptor;
  readonly ingest: Ingest;
  readonly signal: AbortSignal;
}

/** A server that breaks off again and again may do so once for every few megabytes. */
const allowedFaults = (bytes: number): number => 5 + Math.floor(bytes / (4 * 1024 * 1024));

/** Whether another attempt would end the same way. */
const isFinal = (error: unknown): boolean =>
  error instanceof WrongSize ||
  (error instanceof RegistryError && (error.fault === "NotFound" || error.fault === "Denied"));

class WrongSize extends RegistryError {}

const wrongSize = ({ digest, size }: Descriptor, found: number): WrongSize =>
  new WrongSize(
    "Unexpected",
    `failed commit on ref "layer-${digest}": unexpected commit size ${found}, expected ${size}: failed precondition`,
  );

function failedCopy(error: unknown): unknown {
  if (error instanceof WrongSize) return error;
  if (error instanceof RegistryError) return error.within("failed to copy");
  const { message, code } = error as NodeJS.ErrnoException;
  // Node's word for a connection that ended before the response did.
  const reason = message === "aborted" || code === "ECONNRESET" ? "unexpected EOF" : message;
  return new RegistryError("Unreachable", `failed to copy: ${reason}`, { cause: error });
}

async function commit({ digest }: Descriptor, ingest: Ingest): Promise<void> {
  try {
    await ingest.commit(digest);
  } catch (cause) {
    throw new RegistryError(
      "Unexpected",
      `failed commit on ref "layer-${digest}": ${(cause as Error).message}`,
      { cause },
    );
  }
}
