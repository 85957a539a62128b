import { createHash } from "node:crypto";

/** Whether a text is the digest of a blob: `sha256:` and 64 lower-case hexadecimal digits. */
export const isDigest = (text: unknown): text is string =>
  typeof text === "string" && /^sha256:[0-9a-f]{64}$/.test(text);

export const digestOf = (data: string | Uint8Array): string =>
  `sha256:${createHash("sha256").update(data).digest("hex")}`;

/** The hexadecimal digits of a digest. Throws on anything else: they become names of files. */
export function hexOf(digest: string): string {
  if (!isDigest(digest)) throw new Error(`invalid checksum digest format: ${show(digest)}`);
  return digest.slice("sha256:".length);
}

/** The first digits of an ID or digest, as people see it. */
export const shortId = (id: string): string => id.replace(/^sha256:/, "").slice(0, 12);

/**
 * The chain IDs of layers, the lowest first: each names a layer together with all layers below it. The
 * chain ID of the lowest layer is its diff ID.
 */
export function chainIds(diffIds: readonly string[]): string[] {
  const chain: string[] = [];
  for (const diffId of diffIds) {
    const below = chain.at(-1);
    chain.push(below === undefined ? diffId : digestOf(`${below} ${diffId}`));
  }
  return chain;
}

const show = (text: string): string => JSON.stringify(text.slice(0, 100));
