import type { Random } from "../../base/random.ts";
import type { CommitOutcome, Entry, Op } from "../../store/store.ts";
import type { StoredEntry } from "../objects/stored.ts";
import type { WatchCache } from "../watch/watch-cache.ts";
import { formatPortRange, PortBits, type PortRange } from "./port-bits.ts";
import { decodeSharedRange, encodeSharedRange } from "./range-allocation.ts";

/** Where the store says which node ports are taken. */
export const nodePortsKey = "/registry/ranges/servicenodeports";

/** What a write takes and gives up. */
export interface PortChange {
  readonly taken: ReadonlySet<number>;
  readonly givenUp: ReadonlySet<number>;
}

/**
 * The node ports of a cluster. Which are taken is one value in the store, on whose version every
 * change of it depends; so no port is given twice, however many servers there are.
 */
export class NodePorts {
  readonly range: PortRange;
  readonly #cache: WatchCache;
  readonly #random: Random;
  /** Chosen here for writes that are under way. */
  readonly #busy = new Set<number>();
  /** What a write of ours was refused for, which the cache may not have seen yet. */
  #refused: Entry | undefined;
  /** The latest that was read. Its bits are never changed. */
  #known: Known | undefined;
  /** Ends when the write before has ended: each one needs the version that the other leaves. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(cache: WatchCache, random: Random, range: PortRange) {
    this.#cache = cache;
    this.#random = random;
    this.range = range;
  }

  /** Why a port cannot be taken; undefined where it can. */
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

  /** How many ports are taken, and how many are not. */
  usage(): { readonly taken: number; readonly free: number } {
    const { bits } = this.#stored();
    if (typeof bits === "string") return { taken: 0, free: 0 };
    const taken = [...bits.ports()].length;
    return { taken, free: this.range.last - this.range.first + 1 - taken };
  }

  /** A free port; a text says why there is none. */
  choose(): number | string {
    const { bits } = this.#stored();
    if (typeof bits === "string") return bits;
    return bits.free(this.#random, (port) => this.#busy.has(port)) ?? "range is full";
  }

  /** Keeps a port from being given to others, until it is stored as taken or given up. */
  hold(port: number): void {
    this.#busy.add(port);
  }
  letGo(port: number): void {
    this.#busy.delete(port);
  }

  /** Carries out a write and a change of what is taken; "lost" where a port is taken by now. */
  async commit(
    change: PortChange,
    write: (ops: readonly Op[]) => Promise<CommitOutcome>,
  ): Promise<CommitOutcome | "lost"> {
    if (change.taken.size === 0 && change.givenUp.size === 0) return write([]);
    const turn = this.#last.then(() => this.#commit(change, write));
    this.#last = turn.catch(() => {});
    return turn;
  }

  async #commit(
    { taken, givenUp }: PortChange,
    write: (ops: readonly Op[]) => Promise<CommitOutcome>,
  ): Promise<CommitOutcome | "lost"> {
    for (;;) {
      const { bits, revision } = this.#stored();
      // Without a value to change there is nothing to give up either.
      if (typeof bits === "string") return taken.size > 0 ? "lost" : write([]);
      if ([...taken].some((port) => bits.has(port))) return "lost";
      const next = bits.copy();
      for (const port of taken) next.set(port, true);
      for (const port of givenUp) next.set(port, false);
      const value = encodeSharedRange({ range: formatPortRange(this.range), data: next.stored });
      const op: Op = { type: "put", key: nodePortsKey, value, ifRevision: revision };
      const outcome = await write([op]);
      if (outcome.ok || outcome.key !== nodePortsKey) return outcome;
      this.#refused = outcome.current;
    }
  }

  /** What is stored; a text says why that is of no use. */
  #stored(): Known {
    const cached = this.#cache.unclaimed(nodePortsKey);
    const refused = this.#refused;
    const entry = refused && refused.modRevision > (cached?.modRevision ?? 0) ? refused : cached;
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
