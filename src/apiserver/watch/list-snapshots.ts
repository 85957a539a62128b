import type { Clock } from "../../base/clock.ts";
import type { Stored } from "../objects/stored.ts";
import type { ResourceCache } from "./watch-cache.ts";

/** The limits of all snapshots of a server together. Lists beyond them are read from the store. */
export interface SnapshotLimits {
  readonly count: number;
  /** How long a snapshot is kept after it was last read. */
  readonly idleMs: number;
  /** The memory of objects that only snapshots still refer to, as estimated. */
  readonly bytes: number;
}

export const usualSnapshotLimits: SnapshotLimits = {
  count: 64,
  idleMs: 60_000,
  bytes: 64 << 20,
};

/** The objects under a prefix as they were from one revision until another. */
interface Snapshot {
  readonly resource: ResourceCache;
  readonly prefix: string;
  readonly objects: readonly Stored[];
  readonly from: number;
  /** Infinite while the objects are still like this. */
  until: number;
  usedAt: number;
  /** The estimated bytes that would be free without this snapshot. */
  bytes: number;
}

/**
 * Lists that clients read page by page, as they were when the first page was read, so that later pages
 * come from memory, too. A snapshot refers to the objects of the cache: it takes no memory of its own
 * until they change, and therefore its limits are checked when they do.
 */
export class ListSnapshots {
  readonly #clock: Clock;
  readonly #limits: SnapshotLimits;
  /** The least recently used snapshot comes first. */
  readonly #snapshots = new Set<Snapshot>();

  constructor(clock: Clock, limits: SnapshotLimits = usualSnapshotLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  get count(): number {
    return this.#snapshots.size;
  }
  /** The estimated bytes of objects that only snapshots refer to; those of several count several times. */
  get bytes(): number {
    let bytes = 0;
    for (const snapshot of this.#snapshots) bytes += snapshot.bytes;
    return bytes;
  }

  /** Keeps the objects under a prefix as they are now and have been since a revision. */
  keep(resource: ResourceCache, prefix: string, from: number): void {
    if (this.find(resource, prefix, Number.MAX_SAFE_INTEGER)) return;
    this.#snapshots.add({
      resource,
      prefix,
      objects: resource.list(prefix),
      from,
      until: Number.POSITIVE_INFINITY,
      usedAt: this.#clock.now(),
      bytes: 0,
    });
    this.#evict();
  }

  /** The objects under a prefix as they were at a revision. */
  find(resource: ResourceCache, prefix: string, revision: number): readonly Stored[] | undefined {
    for (const snapshot of this.#snapshots) {
      if (snapshot.resource !== resource || snapshot.prefix !== prefix) continue;
      if (revision < snapshot.from || revision > snapshot.until) continue;
      this.#snapshots.delete(snapshot);
      this.#snapshots.add(snapshot);
      snapshot.usedAt = this.#clock.now();
      return snapshot.objects;
    }
    return undefined;
  }

  /** Records that an object changes at a revision: snapshots keep its previous state alive. */
  change(resource: ResourceCache, previous: Stored | undefined, revision: number): void {
    if (this.#snapshots.size === 0) return;
    for (const snapshot of this.#snapshots) {
      if (snapshot.resource !== resource) continue;
      if (snapshot.until === Number.POSITIVE_INFINITY) {
        snapshot.until = revision - 1;
        snapshot.bytes += bytesPerReference * snapshot.objects.length;
      }
      if (
        previous &&
        previous.revision <= snapshot.until &&
        previous.key.startsWith(snapshot.prefix)
      )
        snapshot.bytes += estimatedBytes(previous);
    }
    this.#evict();
  }

  /** Forgets the snapshots of a resource. */
  drop(resource: ResourceCache): void {
    for (const snapshot of this.#snapshots)
      if (snapshot.resource === resource) this.#snapshots.delete(snapshot);
  }

  #evict(): void {
    const { count, idleMs, bytes: limit } = this.#limits;
    const oldest = this.#clock.now() - idleMs;
    let { bytes } = this;
    for (const snapshot of this.#snapshots) {
      if (snapshot.usedAt >= oldest && this.#snapshots.size <= count && bytes <= limit) return;
      this.#snapshots.delete(snapshot);
      bytes -= snapshot.bytes;
    }
  }
}

const bytesPerReference = 8;
/** An object takes several times its encoding in the store: as a value, and as JSON. */
const sizeFactor = 10;

const estimatedBytes = ({ entry }: Stored): number => sizeFactor * entry.value.length;
