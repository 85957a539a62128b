import type { NodeInfo } from "../../framework/node-info.ts";
import { countOn, type SpreadConstraint } from "./spread-constraint.ts";

/**
 * The number of pods per topology domain, kept from one cycle to the next: usually one node has changed,
 * and only that one is counted again.
 */
export class DomainTotals {
  readonly #known = new Map<string, Totals>();

  /** Pods by domain over all nodes; nodes without the label share the domain `""`. */
  of(
    constraint: SpreadConstraint,
    nodes: readonly NodeInfo[],
    namespace: string,
  ): ReadonlyMap<string, number> {
    const { countKey, topologyKey } = constraint;
    const key = `${countKey} ${topologyKey}`;
    const known = this.#known.get(key);
    const totals = known?.nodes.length === nodes.length ? known : newTotals(nodes.length);
    // Evicts the least recently used entry.
    this.#known.delete(key);
    this.#known.set(key, totals);
    if (this.#known.size > maxKnown) this.#forgetOldest();
    for (let i = 0; i < nodes.length; i++) {
      const node = nodes[i] as NodeInfo;
      if (totals.nodes[i] === node) continue;
      const before = totals.nodes[i];
      if (before) add(totals.sums, totals.places[i] as string, -(totals.counts[i] as number));
      const place = node.labels[topologyKey] ?? "";
      const count = countOn(node, constraint, namespace);
      add(totals.sums, place, count);
      totals.nodes[i] = node;
      totals.places[i] = place;
      totals.counts[i] = count;
    }
    return totals.sums;
  }

  #forgetOldest(): void {
    for (const key of this.#known.keys()) {
      this.#known.delete(key);
      return;
    }
  }
}

const maxKnown = 64;

/** For each node, as of its last count, its domain and number of pods. */
interface Totals {
  readonly nodes: (NodeInfo | undefined)[];
  readonly places: string[];
  readonly counts: number[];
  readonly sums: Map<string, number>;
}

const newTotals = (length: number): Totals => ({
  nodes: new Array<NodeInfo | undefined>(length).fill(undefined),
  places: new Array<string>(length).fill(""),
  counts: new Array<number>(length).fill(0),
  sums: new Map(),
});

function add(sums: Map<string, number>, place: string, by: number): void {
  if (by !== 0) sums.set(place, (sums.get(place) ?? 0) + by);
}
