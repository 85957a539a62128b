import { parseLabelSelector } from "../../schema/selectors/label-selector.ts";
import { type Selector, selectorText } from "../call-options.ts";
import { formatKey, formatKeyOf, type KubernetesObject, type ObjectKey } from "../resource-kind.ts";
import type { CacheReader, Indexers } from "./informer-options.ts";

/** The cached objects of an informer, by key, by namespace and by index. */
export class InformerCache<O> implements CacheReader<O> {
  #all = new Bucket<O>();
  /** The objects by namespace; undefined until the first list of a single namespace. */
  #namespaces: Map<string, Bucket<O>> | undefined;
  readonly #indexes = new Map<string, Index<O>>();
  readonly #onIndexerFault: (error: unknown, index: string) => void;

  constructor(onIndexerFault: (error: unknown, index: string) => void) {
    this.#onIndexerFault = onIndexerFault;
  }

  get size(): number {
    return this.#all.size;
  }

  get(key: ObjectKey): O | undefined {
    return this.#all.get(formatKey(key));
  }

  getByText(text: string): O | undefined {
    return this.#all.get(text);
  }

  /** The formatted keys of all objects. */
  keys(): IterableIterator<string> {
    return this.#all.keys();
  }

  list({
    namespace,
    labelSelector,
  }: {
    readonly namespace?: string | undefined;
    readonly labelSelector?: Selector | undefined;
  } = {}): readonly O[] {
    const bucket = namespace ? this.#byNamespace().get(namespace) : this.#all;
    const objects = bucket?.list() ?? none;
    const text = selectorText(labelSelector);
    if (text === undefined) return objects;
    const selector = parseLabelSelector(text);
    return objects.filter((object) => selector.matches(metadataOf(object).labels ?? {}));
  }

  byIndex(index: string, value: string): readonly O[] {
    return this.#index(index).buckets.get(value)?.list() ?? none;
  }

  indexValues(index: string): readonly string[] {
    return [...this.#index(index).buckets.keys()];
  }

  /** Adds indexes; an existing index of the same name must have the same function. */
  addIndexers(indexers: Indexers<O>): void {
    const added = Object.entries(indexers).filter(([name, valuesOf]) => {
      const known = this.#indexes.get(name);
      if (known && known.valuesOf !== valuesOf)
        throw new Error(`another index ${JSON.stringify(name)} already exists`);
      return !known;
    });
    for (const [name, valuesOf] of added) {
      const index: Index<O> = { name, valuesOf, values: new Map(), buckets: new Map() };
      this.#indexes.set(name, index);
      for (const [key, object] of this.#all.entries()) this.#enter(index, key, object);
    }
  }

  /** Replaces the empty content with these objects by key; the cache then owns the map. */
  fill(objects: Map<string, O>): void {
    this.#all = new Bucket(objects);
    this.#namespaces = undefined;
    for (const index of this.#indexes.values())
      for (const [text, object] of objects) this.#enter(index, text, object);
  }

  /** Adds or replaces an object. */
  set(object: O): void {
    const text = formatKeyOf(object);
    this.#all.set(text, object);
    if (this.#namespaces) enterNamespace(this.#namespaces, text, object);
    for (const index of this.#indexes.values()) this.#enter(index, text, object);
  }

  delete(text: string): void {
    const object = this.#all.get(text);
    if (object === undefined) return;
    const { namespace } = metadataOf(object);
    this.#all.delete(text);
    if (namespace && this.#namespaces) removeFrom(this.#namespaces, namespace, text);
    for (const { values, buckets } of this.#indexes.values()) {
      for (const value of values.get(text) ?? []) removeFrom(buckets, value, text);
      values.delete(text);
    }
  }

  #byNamespace(): Map<string, Bucket<O>> {
    if (!this.#namespaces) {
      this.#namespaces = new Map();
      for (const [text, object] of this.#all.entries())
        enterNamespace(this.#namespaces, text, object);
    }
    return this.#namespaces;
  }

  #index(name: string): Index<O> {
    const index = this.#indexes.get(name);
    if (!index) throw new Error(`index ${JSON.stringify(name)} does not exist`);
    return index;
  }

  #enter({ name, valuesOf, values, buckets }: Index<O>, text: string, object: O): void {
    let now: readonly string[] = none;
    try {
      now = valuesOf(object);
      if (now.length > 1) now = [...new Set(now)];
    } catch (error) {
      this.#onIndexerFault(error, name);
    }
    const before = values.get(text) ?? none;
    for (const value of before) if (!now.includes(value)) removeFrom(buckets, value, text);
    if (now.length === 0) values.delete(text);
    // The indexed values of an object rarely change.
    else if (!isSameList(now, before)) values.set(text, now);
    for (const value of now) bucketIn(buckets, value).set(text, object);
  }
}

interface Index<O> {
  readonly name: string;
  readonly valuesOf: (object: O) => readonly string[];
  /** The values under which each object is indexed, to remove it later: the function may be impure. */
  readonly values: Map<string, readonly string[]>;
  readonly buckets: Map<string, Bucket<O>>;
}

/** Objects by key, and their list, which is built on demand and kept until the next change. */
class Bucket<O> {
  readonly #objects: Map<string, O>;
  #list: readonly O[] | undefined;

  constructor(objects = new Map<string, O>()) {
    this.#objects = objects;
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): O | undefined {
    return this.#objects.get(key);
  }

  keys(): IterableIterator<string> {
    return this.#objects.keys();
  }

  entries(): IterableIterator<[string, O]> {
    return this.#objects.entries();
  }

  list(): readonly O[] {
    this.#list ??= Object.freeze([...this.#objects.values()]);
    return this.#list;
  }

  set(key: string, object: O): void {
    this.#objects.set(key, object);
    this.#list = undefined;
  }

  delete(key: string): void {
    this.#objects.delete(key);
    this.#list = undefined;
  }
}

const none: readonly never[] = Object.freeze([]);

const metadataOf = (object: unknown): KubernetesObject["metadata"] =>
  (object as KubernetesObject).metadata;

const isSameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((value, i) => value === b[i]);

function enterNamespace<O>(buckets: Map<string, Bucket<O>>, text: string, object: O): void {
  const { namespace } = metadataOf(object);
  if (namespace) bucketIn(buckets, namespace).set(text, object);
}

function bucketIn<O>(buckets: Map<string, Bucket<O>>, name: string): Bucket<O> {
  let bucket = buckets.get(name);
  if (!bucket) {
    bucket = new Bucket();
    buckets.set(name, bucket);
  }
  return bucket;
}

function removeFrom<O>(buckets: Map<string, Bucket<O>>, name: string, key: string): void {
  const bucket = buckets.get(name);
  bucket?.delete(key);
  if (bucket?.size === 0) buckets.delete(name);
}
