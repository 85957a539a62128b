import { createHash } from "node:crypto";
import type { Snapshots } from "../snapshots/snapshots.ts";
import type { ContentStore, StoredBlob } from "./content-store.ts";
import type { ImageStore } from "./image-store.ts";

export interface Verification {
  readonly blobs: number;
  readonly bytes: number;
  readonly images: number;
  /** One line each. */
  readonly problems: readonly VerifyProblem[];
}

export interface VerifyProblem {
  /** The digest of the blob, or the ID of the image. */
  readonly subject: string;
  readonly problem: string;
}

export interface Verifying {
  readonly content: ContentStore;
  readonly store: ImageStore;
  readonly snapshots: Snapshots;
  readonly signal?: AbortSignal | undefined;
  /** Called after each blob. */
  readonly onBlob?: ((done: number, total: number) => void) | undefined;
}

/** Hashes every blob again, and checks that every image has all its blobs and layers. */
export async function verifyImages(verifying: Verifying): Promise<Verification> {
  const { content, store, snapshots, onBlob } = verifying;
  const problems: VerifyProblem[] = [];
  const blobs = await content.list();
  const sound = new Map<string, number>();
  for (const [at, blob] of blobs.entries()) {
    const problem = await blobProblem(blob, verifying);
    if (problem === undefined) sound.set(blob.digest, blob.size);
    else problems.push({ subject: blob.digest, problem });
    onBlob?.(at + 1, blobs.length);
  }
  for (const { manifest, names, reason } of store.damaged())
    problems.push({ subject: names[0] ?? manifest, problem: reason });
  for (const { id, tags } of store.list()) {
    const subject = tags[0] ?? id;
    for (const { digest, size, diffId } of store.recordedLayers(id)) {
      const found = sound.get(digest);
      if (found === undefined)
        problems.push({ subject, problem: `layer ${digest} is missing or damaged` });
      else if (found !== size)
        problems.push({
          subject,
          problem: `layer ${digest} has ${found} bytes instead of ${size}`,
        });
      if (!(await snapshots.hasLayer(diffId)))
        problems.push({ subject, problem: `layer ${diffId} is not unpacked` });
    }
  }
  const bytes = blobs.reduce((sum, { size }) => sum + size, 0);
  return { blobs: blobs.length, bytes, images: store.list().length, problems };
}

async function blobProblem(
  { digest }: StoredBlob,
  { content, signal }: Verifying,
): Promise<string | undefined> {
  try {
    const hash = createHash("sha256");
    for await (const chunk of content.stream(digest)) {
      signal?.throwIfAborted();
      hash.update(chunk as Uint8Array);
    }
    const found = `sha256:${hash.digest("hex")}`;
    return found === digest ? undefined : `its content has the digest ${found}`;
  } catch (error) {
    signal?.throwIfAborted();
    return `it cannot be read: ${(error as Error).message}`;
  }
}
