import type { Random } from "../../base/random.ts";
import type { Entry } from "../../store/store.ts";
import type { CommitPart } from "../objects/commit-part.ts";
import type { StoredEntry } from "../objects/stored.ts";
import type { WatchCache } from "../watch/watch-cache.ts";
import { formatPortRange, PortBits, type PortRange } from "./port-bits.ts";
import { decodeSharedRange, encodeSharedRange } from "./range-allocation.ts";

/** The store key of the bitmap of allocated node ports. */
export const nodePortsKey = "/registry/ranges/servicenodeports";

/** The ports that a write allocates and releases. */
export interface PortChange {
  readonly taken: ReadonlySet<number>;
  readonly givenUp: ReadonlySet<number>;
}

/**
 * The node ports of a cluster. One value in the store has all that are allocated, and each change of it
 * depends on its revision, so that several servers do not allocate the same port.
 */
export class NodePorts {
  readonly range: PortRange;
  readonly #cache: WatchCache;
  readonly #random: Random;
  /** Ports that pending writes of this server claim. */
  readonly #busy = new Set<number>();
  /** The stored value that a commit of ours failed on, which the cache may not have seen yet. */
  #newer: Entry | undefined;
  /** The latest value that was decoded. Its bits are never changed. */
  #known: Known | undefined;

  constructor(cache: WatchCache, random: Random, range: PortRange) {
    this.#cache = cache;
    this.#random = random;
    this.range = range;
  }

  /** The reason why a port cannot be allocated; undefined if it can. */
  whyNot(port: number): string | undefined {
    const { bits } = this.#stored();
    if (typeof bits === "string") return bits;
    if (!bits.includes(port))
      return `provided port is not in the valid range. The range of valid ports is ${formatPortRange(this.range)}`;
    return bits.has(port) || this.#busy.has(port)
      ? "provided port is already allocated"
      : undefined;
  }

  has(port: number): boolean {
    const { bits } = this.#stored();
    return typeof bits !== "string" && bits.includes(port) && bits.has(port);
  }

  /** How many ports are allocated, and how many are free. */
  usage(): { readonly taken: number; readonly free: number } {
    const { bits } = this.#stored();
    if (typeof bits === "string") return { taken: 0, free: 0 };
    const taken = [...bits.ports()].length;
    return { taken, free: this.range.last - this.range.first + 1 - taken };
  }

  /** A free port, or the reason why there is none. */
  choose(): number | string {
    const { bits } = this.#stored();
    if (typeof bits === "string") return bits;
    return bits.free(this.#random, (port) => this.#busy.has(port)) ?? "range is full";
  }

  /** Keeps a port from other writes of this server until `letGo`. */
  hold(port: number): void {
    this.#busy.add(port);
  }
  letGo(port: number): void {
    this.#busy.delete(port);
  }

  /**
   * Stores a change of the allocated ports with the write that it belongs to. Ports may be added to the
   * change until it is committed.
   */
  change({ taken, givenUp }: PortChange): CommitPart {
    const isEmpty = (): boolean => taken.size + givenUp.size === 0;
    return {
      get lane() {
        return isEmpty() ? undefined : "node ports";
      },
      changes: () => {
        if (isEmpty()) return [];
        const { bits, revision } = this.#stored();
        // Without a stored range there is nothing to release.
        if (typeof bits === "string") return taken.size > 0 ? "lost" : [];
        if ([...taken].some((port) => bits.has(port))) return "lost";
        const next = bits.copy();
        for (const port of taken) next.set(port, true);
        for (const port of givenUp) next.set(port, false);
        const value = encodeSharedRange({ range: formatPortRange(this.range), data: next.stored });
        return [{ type: "put", key: nodePortsKey, value, ifRevision: revision }];
      },
      failed: ({ key, current }) => {
        if (key !== nodePortsKey) return undefined;
        this.#newer = current;
        return "retry";
      },
    };
  }

  /** The stored ports, or the reason why they cannot be used. */
  #stored(): Known {
    const cached = this.#cache.unclaimed(nodePortsKey);
    const newer = this.#newer;
    const entry = newer && newer.modRevision > (cached?.modRevision ?? 0) ? newer : cached;
    if (!entry)
      return {
        bits: "cannot allocate resources of type servicenodeportallocations at this time",
        revision: 0,
      };
    if (this.#known?.revision !== entry.modRevision) this.#known = this.#read(entry);
    return this.#known;
  }

  #read({ value, modRevision }: StoredEntry): Known {
    const { range, data } = decodeSharedRange(value);
    const isOurs = range === formatPortRange(this.range);
    const bits = isOurs
      ? new PortBits(this.range, data)
      : "the provided range does not match the current range";
    return { bits, revision: modRevision };
  }
}

interface Known {
  readonly bits: PortBits | string;
  readonly revision: number;
}
