import { AddressOwners } from "./address-owners.ts";
import { type CompiledPolicy, directions } from "./compiled-policy.ts";
import type { Family } from "./family.ts";
import { classChain, type IsolationClass, IsolationClasses } from "./isolation-classes.ts";
import type { Key, KnownObjects } from "./known-objects.ts";
import { NamedPorts } from "./named-ports.ts";
import { PeerGroups } from "./peer-groups.ts";
import type { PolicyPod } from "./policy-pod.ts";
import { dispatchMap, ownSet, ways } from "./policy-table.ts";
import type { TableContents } from "./table-contents.ts";

/** Keeps the contents of a family's table what the known objects say. A change costs what it changes. */
export class FamilyPolicies {
  readonly #family: Family;
  readonly #known: KnownObjects;
  readonly #contents: TableContents;
  readonly #owners = new AddressOwners();
  readonly #groups: PeerGroups;
  readonly #ports: NamedPorts;
  readonly #classes: IsolationClasses;
  /** What has been written of each pod. */
  readonly #written = new Map<Key, Written>();

  constructor(family: Family, known: KnownObjects, contents: TableContents) {
    this.#family = family;
    this.#known = known;
    this.#contents = contents;
    const addressesOf = (key: Key): readonly string[] => this.#written.get(key)?.addresses ?? [];
    const options = { family, known, contents, addressesOf };
    this.#groups = new PeerGroups(options);
    this.#ports = new NamedPorts(options);
    this.#classes = new IsolationClasses({ ...options, groups: this.#groups, ports: this.#ports });
  }

  /** Sees that a pod has become known, has changed, or is known no longer. */
  podChanged(key: Key, before: PolicyPod | undefined): void {
    const pod = this.#known.pods.get(key);
    const others = this.#owners.set(key, before, { pod, addresses: this.#addressesIn(pod) });
    const changed = [key, ...others];
    // An address can go from one pod to another: it is removed before it is added.
    const left = changed.flatMap((one) => this.#erase(one));
    for (const one of changed) this.#write(one);
    // What is needed before and after has stayed.
    for (const one of left) this.#classes.release(one);
  }

  /** Sees that the labels of a namespace have changed. */
  namespaceChanged(namespace: string): void {
    this.#groups.namespaceChanged(namespace);
  }

  /** Sees that a policy was added, changed or removed. */
  policyChanged(before: CompiledPolicy | undefined, after: CompiledPolicy | undefined): void {
    const namespace = (after ?? before)?.namespace ?? "";
    for (const key of this.#known.podsIn(namespace)) {
      const written = this.#written.get(key);
      if (!written?.pod.isLocal || written.addresses.length === 0) continue;
      const { labels } = written.pod;
      if (before?.selector.matches(labels) || after?.selector.matches(labels))
        this.#isolate(written);
    }
  }

  /** Whether policies select a pod of this node. */
  isIsolated(key: Key): boolean {
    return (this.#written.get(key)?.classes.length ?? 0) > 0;
  }

  /** How many addresses of this node's pods are isolated in some direction. */
  get isolated(): number {
    return this.#contents.elements(`${this.#family} ${ownSet}`).size;
  }

  #addressesIn(pod: PolicyPod | undefined): readonly string[] {
    const own = (pod?.addresses ?? []).filter(({ family }) => family === this.#family);
    return own.map(({ text }) => text);
  }

  /** Removes what has been written of a pod; returns the classes to release. */
  #erase(key: Key): readonly IsolationClass[] {
    const written = this.#written.get(key);
    if (!written) return [];
    const { pod, addresses, classes } = written;
    this.#written.delete(key);
    this.#groups.remove(pod, addresses);
    this.#ports.remove(pod, addresses);
    this.#dispatch(addresses, classes, undefined);
    return classes;
  }

  #write(key: Key): void {
    const pod = this.#known.pods.get(key);
    const addresses = this.#addressesIn(pod).filter((text) => this.#owners.owner(text) === key);
    if (!pod || addresses.length === 0) return;
    const written: Written = { pod, addresses, classes: [] };
    this.#written.set(key, written);
    this.#groups.add(pod, addresses);
    this.#ports.add(pod, addresses);
    if (pod.isLocal) this.#isolate(written);
  }

  /** Finds the classes of a local pod, and leaves those that it had. */
  #isolate(written: Written): void {
    const { pod, addresses, classes: before } = written;
    const selecting = [...this.#known.policiesIn(pod.namespace)].filter(({ selector }) =>
      selector.matches(pod.labels),
    );
    written.classes = directions.flatMap((direction) => {
      const policies = selecting.filter(({ rules }) => rules[direction]);
      return policies.length === 0 ? [] : [this.#classes.acquire(direction, policies)];
    });
    this.#dispatch(addresses, before, undefined);
    this.#dispatch(addresses, written.classes, "jump");
    for (const one of before) this.#classes.release(one);
  }

  #dispatch(
    addresses: readonly string[],
    classes: readonly IsolationClass[],
    verdict: "jump" | undefined,
  ): void {
    for (const address of addresses) {
      for (const one of classes)
        for (const way of ways)
          this.#contents.setElement(
            `${this.#family} ${dispatchMap(one.direction, way)}`,
            address,
            verdict && `${verdict} ${classChain(one, way)}`,
          );
      if (classes.length > 0) this.#setOwn(address, verdict && "");
    }
  }

  #setOwn(address: string, value: "" | undefined): void {
    this.#contents.setElement(`${this.#family} ${ownSet}`, `${address} . ${address}`, value);
  }
}

interface Written {
  readonly pod: PolicyPod;
  /** The addresses that are this pod's. */
  readonly addresses: readonly string[];
  classes: readonly IsolationClass[];
}
