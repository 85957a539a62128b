import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import type { Snapshots } from "../snapshots/snapshots.ts";

/** The layers of snapshots without their files: they are hashed and checked, and only their names are kept. */
export function hashedLayers(): Snapshots & { readonly unpacked: string[] } {
  const layers = new Set<string>();
  const unpacked: string[] = [];
  const none = async (): Promise<never> => {
    throw new Error("only layers");
  };
  return {
    folder: "",
    unpacked,
    hasLayer: async (diffId) => layers.has(diffId),
    async unpackLayer(diffId: string, tar: Readable, signal?: AbortSignal) {
      const hash = createHash("sha256");
      for await (const chunk of tar) {
        signal?.throwIfAborted();
        hash.update(chunk as Uint8Array);
      }
      const found = `sha256:${hash.digest("hex")}`;
      if (found !== diffId) throw new Error(`wrong diff id calculated on extraction "${found}"`);
      layers.add(diffId);
      unpacked.push(diffId);
    },
    layerUsage: async () => ({ bytes: 0, inodes: 0 }),
    listLayers: async () => [...layers],
    removeLayer: async (diffId) => void layers.delete(diffId),
    list: async () => [],
    create: none,
    mount: none,
    unmount: none,
    remove: none,
    usage: none,
    recentUsage: none,
    changes: none,
    diff: none,
  };
}
