import { type AffinityTerm, termMatches } from "../../framework/affinity-term.ts";
import type { Cloneable } from "../../framework/cycle-state.ts";
import type { NodeInfo } from "../../framework/node-info.ts";
import type { PodInfo } from "../../framework/pod-info.ts";
import { type Status, status } from "../../framework/status.ts";

type Labels = Readonly<Record<string, string>>;

const notNear = status("UnschedulableAndUnresolvable", "node(s) didn't match pod affinity rules");
const tooNear = status("Unschedulable", "node(s) didn't match pod anti-affinity rules");
const unwanted = status(
  "Unschedulable",
  "node(s) didn't satisfy existing pods anti-affinity rules",
);

/** The terms of a pod with namespace selectors resolved to names. */
export interface NamedTerms {
  readonly required: readonly AffinityTerm[];
  readonly requiredAnti: readonly AffinityTerm[];
}

/** Counts, per topology domain, the pods that matter for the required terms of a pod and of others. */
export class AffinityCounts implements Cloneable {
  readonly #pod: PodInfo;
  readonly #terms: NamedTerms;
  readonly #namespaceLabels: Labels | undefined;
  /**
   * Matches of the pod's affinity terms, of its anti-affinity terms, and of others' anti-affinity terms.
   */
  readonly #near: DomainCounts;
  readonly #apart: DomainCounts;
  readonly #unwanted: DomainCounts;

  constructor(
    pod: PodInfo,
    about: { readonly terms: NamedTerms; readonly namespaceLabels: Labels | undefined },
    counts = { near: new DomainCounts(), apart: new DomainCounts(), unwanted: new DomainCounts() },
  ) {
    this.#pod = pod;
    this.#terms = about.terms;
    this.#namespaceLabels = about.namespaceLabels;
    this.#near = counts.near;
    this.#apart = counts.apart;
    this.#unwanted = counts.unwanted;
  }

  /** Counts pods of a node whose anti-affinity terms match this pod. */
  countUnwanted({ podsWithRequiredAntiAffinity, labels }: NodeInfo): void {
    for (const other of podsWithRequiredAntiAffinity) this.#addUnwanted(other, labels, 1);
  }

  /** Counts pods of a node that match this pod's terms. */
  countOwn({ pods, labels }: NodeInfo): void {
    for (const other of pods) this.#addOwn(other, labels, 1);
  }

  /** Whether no term applies to the pod. */
  get isIdle(): boolean {
    const { required, requiredAnti } = this.#terms;
    return this.#unwanted.isEmpty && required.length === 0 && requiredAnti.length === 0;
  }

  /** Updates the counts for a pod that is added to or removed from a node in a simulation. */
  follow(other: PodInfo, { labels }: NodeInfo, by: 1 | -1): void {
    this.#addUnwanted(other, labels, by);
    this.#addOwn(other, labels, by);
  }

  check({ labels }: NodeInfo): Status | undefined {
    if (!this.#isNear(labels)) return notNear;
    for (const { topologyKey } of this.#terms.requiredAnti)
      if (this.#apart.at(topologyKey, labels[topologyKey]) > 0) return tooNear;
    return this.#unwanted.hasAny(labels) ? unwanted : undefined;
  }

  clone(): AffinityCounts {
    return new AffinityCounts(
      this.#pod,
      { terms: this.#terms, namespaceLabels: this.#namespaceLabels },
      {
        near: this.#near.clone(),
        apart: this.#apart.clone(),
        unwanted: this.#unwanted.clone(),
      },
    );
  }

  #isNear(labels: Labels): boolean {
    const { required } = this.#terms;
    let areThere = true;
    for (const { topologyKey } of required) {
      const place = labels[topologyKey];
      if (place === undefined) return false;
      if (this.#near.at(topologyKey, place) <= 0) areThere = false;
    }
    if (areThere) return true;
    // The first pod of a group with affinity to itself has no other pod to be near.
    return this.#near.isEmpty && allMatch(required, this.#pod);
  }

  #addOwn(other: PodInfo, labels: Labels, by: 1 | -1): void {
    const { required, requiredAnti } = this.#terms;
    if (allMatch(required, other))
      for (const { topologyKey } of required) this.#near.add(topologyKey, labels[topologyKey], by);
    for (const term of requiredAnti)
      if (termMatches(term, other.pod, undefined))
        this.#apart.add(term.topologyKey, labels[term.topologyKey], by);
  }

  #addUnwanted(other: PodInfo, labels: Labels, by: 1 | -1): void {
    for (const term of other.terms.requiredAnti)
      if (termMatches(term, this.#pod.pod, this.#namespaceLabels))
        this.#unwanted.add(term.topologyKey, labels[term.topologyKey], by);
  }
}

/** Whether all terms match a pod; false without terms. */
export const allMatch = (terms: readonly AffinityTerm[], { pod }: Pick<PodInfo, "pod">): boolean =>
  terms.length > 0 && terms.every((term) => termMatches(term, pod, undefined));

/** Counters by topology key and value. */
class DomainCounts {
  readonly #byKey: Map<string, Map<string, number>>;

  constructor(byKey = new Map<string, Map<string, number>>()) {
    this.#byKey = byKey;
  }

  get isEmpty(): boolean {
    return this.#byKey.size === 0;
  }

  at(key: string, place: string | undefined): number {
    return place === undefined ? 0 : (this.#byKey.get(key)?.get(place) ?? 0);
  }

  hasAny(labels: Labels): boolean {
    for (const [key, places] of this.#byKey) {
      const place = labels[key];
      if (place !== undefined && (places.get(place) ?? 0) > 0) return true;
    }
    return false;
  }

  add(key: string, place: string | undefined, by: number): void {
    if (place === undefined) return;
    let places = this.#byKey.get(key);
    if (!places) {
      places = new Map();
      this.#byKey.set(key, places);
    }
    const count = (places.get(place) ?? 0) + by;
    if (count !== 0) places.set(place, count);
    else places.delete(place);
    if (places.size === 0) this.#byKey.delete(key);
  }

  clone(): DomainCounts {
    return new DomainCounts(
      new Map(Array.from(this.#byKey, ([key, places]) => [key, new Map(places)])),
    );
  }
}
