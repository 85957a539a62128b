import { isMap } from "../../schema/json/json-value.ts";
import { type CelError, CelList, type CelValue, orNoSuchOverload } from "../values/cel-value.ts";
import { areEqual } from "../values/equal-values.ts";
import { fromJson } from "../values/json-value.ts";
import { ArrayList } from "../values/list.ts";
import { GoNative, hashKey, nativeOf } from "./go-native.ts";

type Read = (native: unknown) => CelValue;

/** A list of JSON as its schema describes it. What is added to it is read by the schema of its items, too. */
export class SchemaList extends CelList {
  readonly json: readonly unknown[];
  protected readonly read: Read;

  constructor(json: readonly unknown[], read: Read) {
    super();
    this.json = json;
    this.read = read;
  }

  override get size(): number {
    return this.json.length;
  }

  override get goType(): string {
    return "*common.unstructuredList";
  }

  override at(index: number): CelValue {
    return this.read(this.json[index]);
  }

  override equalTo(other: CelValue): boolean | CelError {
    if (!(other instanceof CelList)) return orNoSuchOverload(other);
    if (this.size !== other.size) return false;
    for (let i = 0; i < this.size; i++) {
      const equal = areEqual(this.at(i), other.at(i));
      if (equal !== true) return equal;
    }
    return true;
  }

  override plus(other: CelValue): CelValue {
    if (!(other instanceof CelList)) return orNoSuchOverload(other);
    return this.with([...this.json, ...nativesOf(other)]);
  }

  withoutSchema(): CelValue {
    const values = this.json.map((each) =>
      each instanceof GoNative ? each.value : fromJson(each),
    );
    return new ArrayList(values);
  }

  /** A list of the same schema. */
  protected with(json: readonly unknown[]): SchemaList {
    return new SchemaList(json, this.read);
  }
}

/** A list in which nothing is twice; the order of its items does not count. */
export class SchemaSet extends SchemaList {
  #keys: Set<string> | undefined;

  override get goType(): string {
    return "*common.unstructuredSetList";
  }

  override equalTo(other: CelValue): boolean | CelError {
    if (!(other instanceof CelList)) return orNoSuchOverload(other);
    if (this.size !== other.size) return false;
    const keys = this.#ownKeys();
    return nativesOf(other).every((native) => keys.has(hashKey(native)));
  }

  /** The union. Upstream remembers what is added, so that the set equals others from then on. */
  override plus(other: CelValue): CelValue {
    if (!(other instanceof CelList)) return orNoSuchOverload(other);
    const keys = this.#ownKeys();
    const added = nativesOf(other).filter((native) => {
      const key = hashKey(native);
      const isNew = !keys.has(key);
      keys.add(key);
      return isNew;
    });
    return new SchemaSet([...this.json, ...added], this.read);
  }

  #ownKeys(): Set<string> {
    this.#keys ??= new Set(this.json.map(hashKey));
    return this.#keys;
  }
}

/** A list whose items have keys; their order does not count. */
export class SchemaKeyedList extends SchemaList {
  readonly #names: readonly string[];
  #byKey: Map<Key, unknown> | undefined;

  /** `names` are the keys of items as expressions write them: by these, upstream looks them up. */
  constructor(json: readonly unknown[], read: Read, names: readonly string[]) {
    super(json, read);
    this.#names = names;
  }

  override get goType(): string {
    return "*common.unstructuredMapList";
  }

  override equalTo(other: CelValue): boolean | CelError {
    if (!(other instanceof CelList)) return orNoSuchOverload(other);
    if (this.size !== other.size) return false;
    this.#byKey ??= new Map(this.json.map((item) => [this.#keyOf(item), item]));
    for (let i = 0; i < other.size; i++) {
      const value = other.at(i);
      const key = this.#keyOf(nativeOf(value));
      if (!this.#byKey.has(key)) return false;
      const equal = areEqual(this.read(this.#byKey.get(key)), value);
      if (equal !== true) return equal;
    }
    return true;
  }

  /** The items of the other list replace those of the same keys, and the rest of them follow. */
  override plus(other: CelValue): CelValue {
    if (!(other instanceof CelList)) return orNoSuchOverload(other);
    const places = new Map(this.json.map((item, i) => [this.#keyOf(item), i]));
    const items = [...this.json];
    for (const native of nativesOf(other)) {
      const place = places.get(this.#keyOf(native));
      if (place === undefined) items.push(native);
      else items[place] = native;
    }
    return new SchemaKeyedList(items, this.read, this.#names);
  }

  #keyOf(item: unknown): Key {
    // What is no object has no key, and so is nothing else's equal.
    if (!isMap(item) || item instanceof GoNative) return Symbol("no key");
    const values = this.#names.map((name) => (Object.hasOwn(item, name) ? item[name] : undefined));
    return values.length > 3 ? shown(values) : values.map(hashKey).join("\u0000");
  }
}

type Key = string | symbol;

/** Of more than three keys, upstream compares the text. */
const shown = (values: readonly unknown[]): string =>
  values.map((value) => (value === undefined ? "<nil>" : String(value))).join(" ");

function nativesOf(list: CelList): readonly unknown[] {
  if (list instanceof SchemaList) return list.json;
  return Array.from({ length: list.size }, (_, i) => nativeOf(list.at(i)));
}
