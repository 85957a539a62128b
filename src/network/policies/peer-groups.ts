import type { PodPeer } from "./compiled-policy.ts";
import type { Family } from "./family.ts";
import { entryOf, type Key, type KnownObjects } from "./known-objects.ts";
import type { PolicyPod } from "./policy-pod.ts";
import { addressType } from "./policy-table.ts";
import type { ObjectName, TableContents } from "./table-contents.ts";

export interface PeerGroupsOptions {
  readonly family: Family;
  readonly known: KnownObjects;
  readonly contents: TableContents;
  /** The addresses that a pod has, and no newer one. */
  readonly addressesOf: (key: Key) => readonly string[];
}

/** The sets with the addresses of the pods that rules select as peers. Equal selections share a set. */
export class PeerGroups {
  readonly #options: PeerGroupsOptions;
  readonly #groups = new Map<string, Group>();
  /** The groups that have pods of a namespace, if their labels match. */
  readonly #byNamespace = new Map<string, Set<Group>>();
  /** The groups that select namespaces by labels. */
  readonly #selecting = new Set<Group>();
  #lastId = 0;

  constructor(options: PeerGroupsOptions) {
    this.#options = options;
  }

  /** Returns the set of a peer, for one more user. */
  acquire(peer: PodPeer): string {
    const group = entryOf(this.#groups, peer.key, () => this.#add(peer));
    group.users++;
    return group.set;
  }

  release({ key }: PodPeer): void {
    const group = this.#groups.get(key);
    if (!group || --group.users > 0) return;
    this.#groups.delete(key);
    this.#selecting.delete(group);
    for (const namespace of group.namespaces) this.#leave(group, namespace);
    this.#options.contents.setSet(this.#name(group), undefined);
  }

  /** Adds the addresses of a pod to the sets that select it. */
  add(pod: PolicyPod, addresses: readonly string[]): void {
    this.#write(pod, addresses, "");
  }

  /** Removes the addresses of a pod as it was when they were added. */
  remove(pod: PolicyPod, addresses: readonly string[]): void {
    this.#write(pod, addresses, undefined);
  }

  /** Sees that the labels of a namespace have changed. */
  namespaceChanged(namespace: string): void {
    const labels = this.#options.known.namespaces.get(namespace);
    for (const group of this.#selecting) {
      const { namespace: selector } = group.peer;
      const isMember = labels !== undefined && isSelected(selector, namespace, labels);
      if (isMember === group.namespaces.has(namespace)) continue;
      if (isMember) this.#enter(group, namespace);
      this.#writeNamespace(group, namespace, isMember ? "" : undefined);
      if (!isMember) {
        group.namespaces.delete(namespace);
        this.#leave(group, namespace);
      }
    }
  }

  #add(peer: PodPeer): Group {
    const { family, known, contents } = this.#options;
    const group: Group = { peer, set: `peers-${++this.#lastId}`, namespaces: new Set(), users: 0 };
    contents.setSet(this.#name(group), `type ${addressType(family)};`);
    if (typeof peer.namespace === "string") this.#enter(group, peer.namespace);
    else {
      this.#selecting.add(group);
      for (const [name, labels] of known.namespaces)
        if (isSelected(peer.namespace, name, labels)) this.#enter(group, name);
    }
    for (const namespace of group.namespaces) this.#writeNamespace(group, namespace, "");
    return group;
  }

  #write(pod: PolicyPod, addresses: readonly string[], value: "" | undefined): void {
    for (const group of this.#byNamespace.get(pod.namespace) ?? [])
      if (group.peer.selector.matches(pod.labels))
        for (const address of addresses)
          this.#options.contents.setElement(this.#name(group), address, value);
  }

  #writeNamespace(group: Group, namespace: string, value: "" | undefined): void {
    const { known, contents, addressesOf } = this.#options;
    for (const key of known.podsIn(namespace))
      if (group.peer.selector.matches(known.pods.get(key)?.labels))
        for (const address of addressesOf(key))
          contents.setElement(this.#name(group), address, value);
  }

  #enter(group: Group, namespace: string): void {
    group.namespaces.add(namespace);
    entryOf(this.#byNamespace, namespace, () => new Set<Group>()).add(group);
  }

  #leave(group: Group, namespace: string): void {
    const groups = this.#byNamespace.get(namespace);
    groups?.delete(group);
    if (groups?.size === 0) this.#byNamespace.delete(namespace);
  }

  #name({ set }: Group): ObjectName {
    return `${this.#options.family} ${set}`;
  }
}

interface Group {
  readonly peer: PodPeer;
  readonly set: string;
  /** The namespaces whose pods are looked at. */
  readonly namespaces: Set<string>;
  users: number;
}

const isSelected = (
  selector: PodPeer["namespace"],
  name: string,
  labels: Readonly<Record<string, string>>,
): boolean => (typeof selector === "string" ? selector === name : selector.matches(labels));
