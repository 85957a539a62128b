import { readdir, readFile, realpath, statfs } from "node:fs/promises";
import { join } from "node:path";
import { ensurePrivateDir } from "../../platform/files.ts";
import type { LayerLimits } from "./layer-rewriter.ts";
import { LayerStore } from "./layer-store.ts";
import { mountsBelow, removeMountPoint, unmountFolder } from "./overlay-mount.ts";
import { emptyFolder, mappedFolder, OverlaySnapshots, recordFile } from "./overlay-snapshots.ts";
import type { Snapshots } from "./snapshots.ts";

/** Where snapshots are kept, and what a layer may hold. */
export interface SnapshotsOptions {
  /** Of a file system that can be the upper folder of an overlay: not an overlay itself. */
  readonly root: string;
  readonly layerLimits?: LayerLimits | undefined;
}

/** Snapshots with an end: of the process that uses them, not of their mounts. */
export interface OpenedSnapshots extends Snapshots {
  /** Resolves when all that was unpacked is on disk. */
  close(): Promise<void>;
}

/** Opens the snapshots of an engine, and removes what a kill has left half-made. */
export async function openSnapshots(options: SnapshotsOptions): Promise<OpenedSnapshots> {
  await ensurePrivateDir(options.root);
  const root = await realpath(options.root);
  if ((await statfs(root)).type === overlayType)
    throw new Error(
      `${root} lies on an overlay, which cannot hold another: choose a folder on a disk, or a volume`,
    );
  await ensurePrivateDir(join(root, "snapshots"));
  await ensurePrivateDir(join(root, emptyFolder));
  for (const path of await mountsBelow(join(root, "drafts"))) await unmountFolder(path);
  await ensurePrivateDir(join(root, mappedFolder));
  for (const name of await readdir(join(root, mappedFolder)))
    await removeMountPoint(join(root, mappedFolder, name));
  const layers = await LayerStore.open(root, options.layerLimits ?? defaultLimits);
  const layersOf = new Map<string, readonly string[]>();
  for (const id of await readdir(join(root, "snapshots")))
    layersOf.set(id, await readLayers(join(root, "snapshots", id, recordFile)));
  return new OverlaySnapshots({ root, layers, layersOf });
}

/** A snapshot whose record is damaged can be removed, but not mounted: it has a layer that does not exist. */
async function readLayers(path: string): Promise<readonly string[]> {
  try {
    const layers: unknown = JSON.parse(await readFile(path, "utf8"));
    if (Array.isArray(layers)) return layers.map(String);
  } catch {
    // It is damaged.
  }
  return [`in ${path}, which cannot be read,`];
}

/** The type of overlays in statfs(2). */
const overlayType = 0x794c7630;

/** Large images have layers of some ten gigabytes and some hundred thousand files. */
const defaultLimits: LayerLimits = { bytes: 128 * 2 ** 30, entries: 2_000_000 };
