import type { Key } from "./known-objects.ts";
import type { PolicyPod } from "./policy-pod.ts";

/**
 * Which pod has an address. While the API has two with the same one, because the end of the earlier pod has not been
 * reported, it is that of the pod that is not being deleted, or of the newer one.
 */
export class AddressOwners {
  readonly #claims = new Map<string, Claim[]>();

  /** Changes a pod's addresses; returns the other pods whose addresses change by that. */
  set(
    key: Key,
    before: PolicyPod | undefined,
    {
      pod,
      addresses,
    }: { readonly pod: PolicyPod | undefined; readonly addresses: readonly string[] },
  ): ReadonlySet<Key> {
    const others = new Set<Key>();
    const texts = new Set([...(before?.addresses ?? []).map(({ text }) => text), ...addresses]);
    for (const text of texts) {
      const claims = this.#claims.get(text) ?? [];
      const owner = claims[0]?.key;
      const rest = claims.filter((claim) => claim.key !== key);
      if (pod && addresses.includes(text)) rest.push({ key, pod });
      rest.sort(presentFirst);
      if (rest.length > 0) this.#claims.set(text, rest);
      else this.#claims.delete(text);
      for (const other of [owner, rest[0]?.key])
        if (other !== undefined && other !== key && owner !== rest[0]?.key) others.add(other);
    }
    return others;
  }

  owner(address: string): Key | undefined {
    return this.#claims.get(address)?.[0]?.key;
  }
}

interface Claim {
  readonly key: Key;
  readonly pod: PolicyPod;
}

/** Times of the API have one form, in which the order of texts is that of times. */
const presentFirst = (a: Claim, b: Claim): number =>
  Number(a.pod.isTerminating) - Number(b.pod.isTerminating) ||
  compare(b.pod.createdAt, a.pod.createdAt) ||
  compare(b.pod.uid, a.pod.uid);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
