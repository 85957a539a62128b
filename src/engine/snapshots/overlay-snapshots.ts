import { randomUUID } from "node:crypto";
import { chmod, chown, mkdir, open, rename, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { diskUsage } from "../../platform/disk-usage.ts";
import { compareTrees } from "./compare-trees.ts";
import { diffRewriter } from "./diff-rewriter.ts";
import { mountMapped } from "./id-mapped-mount.ts";
import type { LayerStore } from "./layer-store.ts";
import { type MappedUsers, mappedId } from "./mapped-users.ts";
import { isMountPoint, mountOverlay, removeMountPoint, unmountFolder } from "./overlay-mount.ts";
import { packTar } from "./pack-tar.ts";
import { RecentUsages } from "./recent-usages.ts";
import { runProgram } from "./run-program.ts";
import type { SnapshotChange, Snapshots, SnapshotUsage } from "./snapshots.ts";

/** The diff IDs of a snapshot's layers. */
export const recordFile = "layers.json";
/** The lower folder of a snapshot without layers. */
export const emptyFolder = "empty";
/** The folder of mapped views of all layers. It is never emptied: what is mounted in it are the layers themselves. */
export const mappedFolder = "mapped";

/** The snapshots in a folder whose content is known. */
export class OverlaySnapshots implements Snapshots {
  readonly #root: string;
  readonly #layers: LayerStore;
  readonly #layersOf: Map<string, readonly string[]>;
  /** The latest work on each snapshot: one at a time. */
  readonly #busy = new Map<string, Promise<unknown>>();
  readonly #usages = new RecentUsages((id) => this.usage(id));

  constructor(options: {
    readonly root: string;
    readonly layers: LayerStore;
    readonly layersOf: Map<string, readonly string[]>;
  }) {
    this.#root = options.root;
    this.#layers = options.layers;
    this.#layersOf = options.layersOf;
  }

  get folder(): string {
    return this.#root;
  }

  hasLayer(diffId: string): Promise<boolean> {
    return Promise.resolve(this.#layers.has(diffId));
  }

  unpackLayer(diffId: string, tar: Readable, signal?: AbortSignal): Promise<void> {
    return this.#layers.unpack(diffId, tar, signal);
  }

  layerUsage(diffId: string): Promise<SnapshotUsage> {
    return this.#layers.usage(diffId);
  }

  listLayers(): Promise<readonly string[]> {
    return Promise.resolve(this.#layers.list());
  }

  async removeLayer(diffId: string): Promise<void> {
    for (const [id, layers] of this.#layersOf)
      if (layers.includes(diffId)) throw new Error(`layer ${diffId} is used by snapshot ${id}`);
    await this.#layers.remove(diffId);
  }

  async create(id: string, layers: readonly string[], users?: MappedUsers): Promise<void> {
    if (!/^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/.test(id)) throw new Error(`invalid snapshot ID ${id}`);
    if (this.#layersOf.has(id)) throw new Error(`snapshot ${id} already exists`);
    for (const layer of layers) this.#layers.shortPath(layer);
    this.#layersOf.set(id, layers);
    await this.#alone(id, () => this.#create(id, layers, users)).catch((error: unknown) => {
      this.#layersOf.delete(id);
      throw error;
    });
  }

  mount(id: string, users?: MappedUsers): Promise<string> {
    return this.#alone(id, async () => {
      const target = this.#path(id, "rootfs");
      if (await isMountPoint(target)) return target;
      if (users) await this.#mountMapped(id, target, users);
      else await this.#mountOverlay(id, target, { root: this.#root, above: "" });
      return target;
    });
  }

  unmount(id: string): Promise<void> {
    return this.#alone(id, () => this.#unmount(id));
  }

  remove(id: string): Promise<void> {
    return this.#alone(id, async () => {
      if (!this.#layersOf.has(id)) return;
      await this.#unmount(id);
      const trash = join(this.#root, "trash", randomUUID());
      await rename(join(this.#root, "snapshots", id), trash);
      this.#layersOf.delete(id);
      this.#usages.forget(id);
      await runProgram("rm", ["-rf", trash]);
    });
  }

  list(): Promise<readonly string[]> {
    return Promise.resolve([...this.#layersOf.keys()]);
  }

  async usage(id: string): Promise<SnapshotUsage> {
    return await diskUsage(this.#path(id, "upper"));
  }

  recentUsage(id: string): Promise<SnapshotUsage> {
    return this.#usages.of(id);
  }

  async changes(id: string): Promise<readonly SnapshotChange[]> {
    const upper = this.#path(id, "upper");
    const wasMounted = await isMountPoint(this.#path(id, "rootfs"));
    const after = await this.mount(id);
    try {
      return await this.#withLower(id, (before) => compareTrees({ before, after, upper }));
    } finally {
      if (!wasMounted) await this.unmount(id);
    }
  }

  async diff(id: string): Promise<Readable> {
    const upper = this.#path(id, "upper");
    return await Promise.resolve(packTar(upper, { name: ".", rewriter: diffRewriter }));
  }

  close(): Promise<void> {
    return this.#layers.close();
  }

  /** The layers of a snapshot, the topmost first. The kernel refuses a layer that comes twice: the upper one counts. */
  #lower(id: string): readonly string[] {
    const topDown = [...new Set((this.#layersOf.get(id) ?? []).toReversed())];
    return topDown.length === 0
      ? [emptyFolder]
      : topDown.map((layer) => this.#layers.shortPath(layer));
  }

  /** Calls with a folder that shows the layers of a snapshot alone. */
  async #withLower<T>(id: string, work: (folder: string) => Promise<T>): Promise<T> {
    const layers = this.#lower(id);
    if (layers[0] === emptyFolder) return await work(join(this.#root, emptyFolder));
    // An overlay without an upper folder needs two lower ones.
    const lower = layers.length > 1 ? layers : [...layers, emptyFolder];
    const target = join(this.#root, "drafts", randomUUID());
    await mkdir(target);
    await mountOverlay({ root: this.#root, lower, target });
    try {
      return await work(target);
    } finally {
      await unmountFolder(target);
      await rmdir(target);
    }
  }

  /** Mounts a snapshot at a folder; layers are below `root`, and what is written is `above` it. */
  async #mountOverlay(
    id: string,
    target: string,
    { root, above }: { readonly root: string; readonly above: string },
  ): Promise<void> {
    const own = `${above}snapshots/${id}`;
    const upper = { upper: `${own}/upper`, work: `${own}/work` };
    await mountOverlay({ root, lower: this.#lower(id), upper, target });
  }

  /**
   * Mounts a snapshot whose layers show the IDs of a user namespace. The kernel remembers how they are mapped: the
   * mapped view of all layers is there only as long as the overlay is being mounted.
   */
  async #mountMapped(id: string, target: string, { path }: MappedUsers): Promise<void> {
    const mapped = join(this.#root, mappedFolder, id);
    await mkdir(mapped, { recursive: true, mode: 0o700 });
    try {
      await mountMapped({ source: this.#root, target: mapped, userNamespace: path });
      await this.#mountOverlay(id, target, { root: mapped, above: "../../" });
    } finally {
      await removeMountPoint(mapped);
    }
  }

  #path(id: string, part: "upper" | "rootfs"): string {
    if (!this.#layersOf.has(id)) throw new Error(`snapshot ${id} does not exist`);
    return join(this.#root, "snapshots", id, part);
  }

  async #create(id: string, layers: readonly string[], users?: MappedUsers): Promise<void> {
    const draft = join(this.#root, "drafts", randomUUID());
    await mkdir(draft, { mode: 0o700 });
    await Promise.all([
      mkdir(join(draft, "upper"), { mode: 0o755 }),
      mkdir(join(draft, "work"), { mode: 0o700 }),
      mkdir(join(draft, "rootfs"), { mode: 0o755 }),
      writeDurably(join(draft, recordFile), JSON.stringify(layers)),
    ]);
    const top = layers.at(-1);
    await this.#ownRoot(join(draft, "upper"), top && this.#layers.shortPath(top), users);
    await rename(draft, join(this.#root, "snapshots", id));
  }

  /** The root of an overlay has the owner and mode of its upper folder. */
  async #ownRoot(
    upper: string,
    layer: string | undefined,
    users: MappedUsers | undefined,
  ): Promise<void> {
    if (layer === undefined && !users) return;
    const { uid, gid, mode } = await stat(layer === undefined ? upper : join(this.#root, layer));
    await chown(upper, mappedId(uid, users?.uidMappings), mappedId(gid, users?.gidMappings));
    await chmod(upper, mode & 0o7777);
  }

  async #unmount(id: string): Promise<void> {
    // What a killed engine was mounting.
    await removeMountPoint(join(this.#root, mappedFolder, id));
    const target = this.#path(id, "rootfs");
    while (await isMountPoint(target)) await unmountFolder(target);
  }

  async #alone<T>(id: string, work: () => Promise<T>): Promise<T> {
    const before = this.#busy.get(id) ?? Promise.resolve();
    const result = before.then(work, work);
    this.#busy.set(id, result);
    try {
      return await result;
    } finally {
      if (this.#busy.get(id) === result) this.#busy.delete(id);
    }
  }
}

/** What a power failure leaves of a snapshot must be complete: its containers may have written to it durably. */
async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.datasync();
  } finally {
    await file.close();
  }
}
