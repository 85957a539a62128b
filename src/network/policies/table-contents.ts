import type { Family } from "./family.ts";

/** The name of a set, map or chain with the family of its table. */
export type ObjectName = `${Family} ${string}`;

/** What the elements of a set or map are; none of those that every table has. */
export type SetType = string;

/** What has changed in tables: first what there was, then what there is. */
export interface Changes {
  /** Chains by name: their rules. */
  readonly chains: readonly Change<readonly string[]>[];
  /** Sets that do not belong to every table: their types. */
  readonly sets: readonly Change<SetType>[];
  /** Elements of sets and maps; the values of sets are empty. */
  readonly elements: ReadonlyMap<ObjectName, readonly Change<string, string>[]>;
}

export interface Change<V, K = ObjectName> {
  readonly key: K;
  readonly before: V | undefined;
  readonly after: V | undefined;
}

/** The contents that tables shall have, and how they differ from those that were taken last. */
export class TableContents {
  readonly #chains = new JournaledMap<ObjectName, readonly string[]>();
  readonly #sets = new JournaledMap<ObjectName, SetType>();
  readonly #elements = new Map<ObjectName, JournaledMap<string, string>>();

  /** Sets the rules of a chain, which are never changed; undefined removes it. */
  setChain(name: ObjectName, rules: readonly string[] | undefined): void {
    this.#chains.set(name, rules);
  }

  /** Adds a set; undefined removes it, with its elements. */
  setSet(name: ObjectName, type: SetType | undefined): void {
    this.#sets.set(name, type);
    // Elements need not be deleted from a set that goes.
    if (type === undefined) this.#elements.delete(name);
  }

  /** Adds an element to a set or map; undefined removes it. */
  setElement(container: ObjectName, key: string, value: string | undefined): void {
    let elements = this.#elements.get(container);
    if (!elements) {
      elements = new JournaledMap();
      this.#elements.set(container, elements);
    }
    elements.set(key, value);
  }

  /** The elements of a set or map. */
  elements(container: ObjectName): ReadonlyMap<string, string> {
    return this.#elements.get(container)?.entries ?? new Map();
  }

  /** Takes what has changed since the last call. */
  take(): Changes {
    return {
      chains: this.#chains.take(),
      sets: this.#sets.take(),
      elements: this.#taken((elements) => elements.take()),
    };
  }

  /** Takes everything, as if there had been nothing. */
  takeAll(): Changes {
    return {
      chains: this.#chains.takeAll(),
      sets: this.#sets.takeAll(),
      elements: this.#taken((elements) => elements.takeAll()),
    };
  }

  #taken(
    take: (elements: JournaledMap<string, string>) => readonly Change<string, string>[],
  ): Changes["elements"] {
    const taken = new Map<ObjectName, readonly Change<string, string>[]>();
    for (const [container, elements] of this.#elements) {
      const changes = take(elements);
      if (changes.length > 0) taken.set(container, changes);
    }
    return taken;
  }
}

/** A map that knows what its changed entries were before. */
class JournaledMap<K, V> {
  readonly entries = new Map<K, V>();
  readonly #before = new Map<K, V | undefined>();

  set(key: K, value: V | undefined): void {
    const now = this.entries.get(key);
    if (now === value) return;
    if (!this.#before.has(key)) this.#before.set(key, now);
    if (value === undefined) this.entries.delete(key);
    else this.entries.set(key, value);
  }

  take(): readonly Change<V, K>[] {
    const changes = [...this.#before].flatMap(([key, before]) => {
      const after = this.entries.get(key);
      return after === before ? [] : [{ key, before, after }];
    });
    this.#before.clear();
    return changes;
  }

  takeAll(): readonly Change<V, K>[] {
    this.#before.clear();
    return [...this.entries].map(([key, after]) => ({ key, before: undefined, after }));
  }
}
