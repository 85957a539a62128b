import type { Container, Elements } from "./elements.ts";

/** One element that has changed; an absent value means that there is none. */
export interface ElementChange {
  readonly container: Container;
  readonly key: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/**
 * The elements of all services, and how they differ from those that were programmed last. If two services want an
 * element of one key, the one whose name comes first gets it, so that the result does not depend on their order.
 */
export class ElementStore {
  readonly #byOwner = new Map<string, Elements>();
  readonly #claims = new Map<Container, Map<string, Claim>>();
  /** The values that elements had when they were programmed, of those that may have changed since. */
  readonly #touched = new Map<Container, Map<string, string | undefined>>();
  /** Whether elements were programmed before: until then all of them are new, and need not be noted one by one. */
  #isProgrammed = false;

  /** Replaces the elements of an owner; none if they are empty. */
  set(owner: string, elements: Elements): void {
    const before = this.#byOwner.get(owner);
    if (elements.size === 0) this.#byOwner.delete(owner);
    else this.#byOwner.set(owner, elements);
    for (const [container, entries] of before ?? [])
      for (const key of entries.keys())
        if (elements.get(container)?.get(key) === undefined) this.#release(container, key, owner);
    for (const [container, entries] of elements)
      for (const [key, value] of entries)
        if (before?.get(container)?.get(key) !== value)
          this.#claim(container, key, { owner, value });
  }

  /** What has changed since `programmed` was called, if it was. */
  changes(): readonly ElementChange[] {
    return [...this.#touched].flatMap(([container, keys]) =>
      [...keys].flatMap(([key, before]) => {
        const after = this.#claims.get(container)?.get(key)?.value;
        return after === before ? [] : [{ container, key, before, after }];
      }),
    );
  }

  /** Whether there is an element of a container, or that of a key. */
  has(container: Container, key?: string): boolean {
    const claims = this.#claims.get(container);
    return key === undefined ? (claims?.size ?? 0) > 0 : (claims?.has(key) ?? false);
  }

  /** All elements. */
  all(): Elements {
    return new Map(
      [...this.#claims].map(([container, claims]) => [
        container,
        new Map([...claims].map(([key, { value }]) => [key, value])),
      ]),
    );
  }

  /** Says that all elements are programmed now. */
  programmed(): void {
    this.#touched.clear();
    this.#isProgrammed = true;
  }

  #claim(container: Container, key: string, claim: Owned): void {
    this.#touch(container, key);
    let claims = this.#claims.get(container);
    if (!claims) {
      claims = new Map();
      this.#claims.set(container, claims);
    }
    const before = claims.get(key);
    // Nearly all elements have one owner.
    const others = before && ownersOf(before, claim.owner);
    claims.set(key, others && others.length > 0 ? winner([...others, claim]) : claim);
  }

  #release(container: Container, key: string, owner: string): void {
    this.#touch(container, key);
    const claims = this.#claims.get(container);
    const others = ownersOf(claims?.get(key), owner);
    if (others.length > 0) claims?.set(key, winner(others));
    else claims?.delete(key);
  }

  #touch(container: Container, key: string): void {
    if (!this.#isProgrammed) return;
    let keys = this.#touched.get(container);
    if (!keys) {
      keys = new Map();
      this.#touched.set(container, keys);
    }
    if (!keys.has(key)) keys.set(key, this.#claims.get(container)?.get(key)?.value);
  }
}

interface Owned {
  readonly owner: string;
  readonly value: string;
}

/** The element of a key, and those that would have it otherwise. */
interface Claim extends Owned {
  readonly others?: readonly Owned[] | undefined;
}

/** All who want an element, without one of them. */
const ownersOf = (claim: Claim | undefined, without: string): readonly Owned[] =>
  claim === undefined
    ? []
    : [claim, ...(claim.others ?? [])].filter(({ owner }) => owner !== without);

function winner(owners: readonly Owned[]): Claim {
  const [first, ...others] = [...owners].sort((a, b) => (a.owner < b.owner ? -1 : 1));
  if (!first) throw new Error("an element has no owner");
  const { owner, value } = first;
  return others.length === 0 ? { owner, value } : { owner, value, others };
}
