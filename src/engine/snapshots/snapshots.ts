import type { Readable } from "node:stream";
import type { MappedUsers } from "./mapped-users.ts";

/**
 * The file systems of a node. A layer is unpacked once, under its diff ID, however many images have it. The
 * snapshot of a container is an overlay of layers with a writable folder on top.
 */
export interface Snapshots {
  /** The folder of layers and of what containers write, which is one file system. */
  readonly folder: string;
  hasLayer(diffId: string): Promise<boolean>;
  /**
   * Unpacks an uncompressed layer. The bytes are hashed as they pass: a layer with another diff ID is refused,
   * and nothing of it stays.
   */
  unpackLayer(diffId: string, tar: Readable, signal?: AbortSignal): Promise<void>;
  /** The bytes that a layer holds on disk. */
  layerUsage(diffId: string): Promise<SnapshotUsage>;
  listLayers(): Promise<readonly string[]>;
  /** Removes a layer that no snapshot uses. */
  removeLayer(diffId: string): Promise<void>;
  /**
   * Creates the writable folder of a container on these layers, the lowest first. With users, files belong to the IDs
   * that these have on the node; the snapshot must always be mounted with the same users.
   */
  create(id: string, layers: readonly string[], users?: MappedUsers): Promise<void>;
  /** Mounts a snapshot, unless it is mounted; resolves with the folder of its root. */
  mount(id: string, users?: MappedUsers): Promise<string>;
  unmount(id: string): Promise<void>;
  /** Unmounts and deletes a snapshot; one that does not exist is not an error. */
  remove(id: string): Promise<void>;
  /** The IDs of all snapshots, mounted or not. */
  list(): Promise<readonly string[]>;
  /** What the container wrote. */
  usage(id: string): Promise<SnapshotUsage>;
  /** The same as it was some seconds ago, for those who ask often. */
  recentUsage(id: string): Promise<SnapshotUsage>;
  /** The paths that differ from the layers: added, changed, deleted. */
  changes(id: string): Promise<readonly SnapshotChange[]>;
  /** What the container wrote, as a layer with whiteouts. */
  diff(id: string): Promise<Readable>;
}

export interface SnapshotUsage {
  readonly bytes: number;
  readonly inodes: number;
}

export interface SnapshotChange {
  readonly path: string;
  readonly kind: "added" | "changed" | "deleted";
}
