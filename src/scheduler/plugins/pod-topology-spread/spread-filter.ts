import type { Cloneable } from "../../framework/cycle-state.ts";
import type { NodeInfo } from "../../framework/node-info.ts";
import type { PodOnNode } from "../../framework/plugin.ts";
import type { PodInfo } from "../../framework/pod-info.ts";
import { type Status, status } from "../../framework/status.ts";
import {
  type CountedNodes,
  countedNodes,
  countOn,
  hasAllDomains,
  type SpreadConstraint,
} from "./spread-constraint.ts";

const reason = "node(s) didn't match pod topology spread constraints";
const uneven = status("Unschedulable", reason);
const nowhere = status("UnschedulableAndUnresolvable", `${reason} (missing required label)`);

/** The number of matching pods per domain and constraint, and the minimum of each. */
export class SpreadCounts implements Cloneable {
  readonly #pod: PodInfo;
  readonly #constraints: readonly SpreadConstraint[];
  readonly #places: readonly Places[];
  readonly #isCounted: readonly CountedNodes[];
  /** Whether each constraint selects the pod itself. */
  readonly #meansItself: readonly boolean[];

  constructor(
    pod: PodInfo,
    constraints: readonly SpreadConstraint[],
    places: readonly Places[] = constraints.map(() => new Places()),
  ) {
    this.#pod = pod;
    this.#constraints = constraints;
    this.#places = places;
    this.#isCounted = constraints.map((constraint) => countedNodes(constraint, pod.pod));
    this.#meansItself = constraints.map(({ selector }) =>
      selector.matches(pod.pod.metadata.labels),
    );
  }

  count(nodes: readonly NodeInfo[]): this {
    const constraints = this.#constraints;
    for (const info of nodes) {
      const { node, labels } = info;
      if (!node || !hasAllDomains(labels, constraints)) continue;
      for (let i = 0; i < constraints.length; i++) {
        const constraint = constraints[i] as SpreadConstraint;
        if (this.#isCounted[i]?.(node) === false) continue;
        const place = labels[constraint.topologyKey] as string;
        this.#places[i]?.add(place, countOn(info, constraint, this.#pod.namespace));
      }
    }
    return this;
  }

  /** Updates the counts for a pod that is added to or removed from a node in a simulation. */
  follow({ other, node: info }: PodOnNode, by: 1 | -1): void {
    const { node, labels } = info;
    if (!node || other.namespace !== this.#pod.namespace) return;
    if (!hasAllDomains(labels, this.#constraints)) return;
    for (const [i, constraint] of this.#constraints.entries()) {
      if (!constraint.selector.matches(other.pod.metadata.labels)) continue;
      if (this.#isCounted[i]?.(node) === false) continue;
      this.#places[i]?.add(labels[constraint.topologyKey] as string, by);
    }
  }

  /** Checks that a node's domains would not exceed the minimum by more than maxSkew. */
  check({ labels }: NodeInfo): Status | undefined {
    for (let i = 0; i < this.#constraints.length; i++) {
      const { topologyKey, maxSkew, minDomains } = this.#constraints[i] as SpreadConstraint;
      const place = labels[topologyKey];
      if (place === undefined) return nowhere;
      const places = this.#places[i] as Places;
      const fewest = places.size < minDomains ? 0 : places.fewest;
      const own = this.#meansItself[i] ? 1 : 0;
      if (places.at(place) + own - fewest > maxSkew) return uneven;
    }
    return undefined;
  }

  clone(): SpreadCounts {
    return new SpreadCounts(
      this.#pod,
      this.#constraints,
      this.#places.map((places) => places.clone()),
    );
  }
}

/** Counters by domain, and their minimum. */
class Places {
  readonly #counts: Map<string, number>;
  /** The minimum; undefined if it must be computed again. */
  #fewest: number | undefined;

  constructor(counts = new Map<string, number>()) {
    this.#counts = counts;
  }

  get size(): number {
    return this.#counts.size;
  }

  /** The maximum integer if there is no domain at all. */
  get fewest(): number {
    if (this.#fewest === undefined) {
      let fewest = 2 ** 31 - 1;
      for (const count of this.#counts.values()) if (count < fewest) fewest = count;
      this.#fewest = fewest;
    }
    return this.#fewest;
  }

  at(place: string): number {
    return this.#counts.get(place) ?? 0;
  }

  add(place: string, by: number): void {
    this.#counts.set(place, (this.#counts.get(place) ?? 0) + by);
    this.#fewest = undefined;
  }

  clone(): Places {
    return new Places(new Map(this.#counts));
  }
}
