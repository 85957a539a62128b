import type { CompiledPolicy } from "./compiled-policy.ts";
import type { PolicyPod } from "./policy-pod.ts";

/** Identifies an object of a namespace. */
export type Key = `${string}/${string}`;

export const keyOf = ({ namespace, name }: { namespace: string; name: string }): Key =>
  `${namespace}/${name}`;

/** The objects of the cluster that decide about traffic. */
export class KnownObjects {
  readonly pods = new Map<Key, PolicyPod>();
  /** The labels of namespaces. */
  readonly namespaces = new Map<string, Readonly<Record<string, string>>>();
  readonly #podsIn = new Map<string, Set<Key>>();
  readonly #policiesIn = new Map<string, Map<Key, CompiledPolicy>>();

  setPod(key: Key, pod: PolicyPod | undefined): void {
    const before = this.pods.get(key);
    if (before) {
      const siblings = this.#podsIn.get(before.namespace);
      siblings?.delete(key);
      if (siblings?.size === 0) this.#podsIn.delete(before.namespace);
    }
    if (!pod) {
      this.pods.delete(key);
      return;
    }
    this.pods.set(key, pod);
    entryOf(this.#podsIn, pod.namespace, () => new Set()).add(key);
  }

  /** The pods of a namespace, also if the namespace itself is not known yet. */
  podsIn(namespace: string): Iterable<Key> {
    return this.#podsIn.get(namespace) ?? [];
  }

  policy(namespace: string, key: Key): CompiledPolicy | undefined {
    return this.#policiesIn.get(namespace)?.get(key);
  }

  setPolicy(namespace: string, key: Key, policy: CompiledPolicy | undefined): void {
    if (policy) {
      entryOf(this.#policiesIn, namespace, () => new Map()).set(key, policy);
      return;
    }
    const siblings = this.#policiesIn.get(namespace);
    siblings?.delete(key);
    if (siblings?.size === 0) this.#policiesIn.delete(namespace);
  }

  policiesIn(namespace: string): Iterable<CompiledPolicy> {
    return this.#policiesIn.get(namespace)?.values() ?? [];
  }
}

/** The entry of a map, which is made if there is none. */
export function entryOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
