import { isMap, sameJson } from "../json/json-value.ts";
import { additionalOf, itemsOf, type JsonSchema, propertyOf } from "./json-schema.ts";
import { type KeyedItems, keyedItems } from "./keyed-items.ts";

/**
 * A value with what it was before: what is wrong with a part that did not change is no reason to
 * refuse an update. Members correlate by name, items of a list by keys with those of equal keys; no
 * other items do.
 */
export class Correlated {
  readonly #value: unknown;
  readonly #old: unknown;
  readonly #schema: JsonSchema;
  readonly #parts = new Map<string | number, Correlated>();
  #oldItems: KeyedItems | undefined;
  #isSame: boolean | undefined;

  constructor(value: unknown, old: unknown, schema: JsonSchema) {
    this.#value = value;
    this.#old = old;
    this.#schema = schema;
  }

  /** A member; undefined where it was not there before, or has no schema. */
  member(name: string): Correlated | undefined {
    const [value, old] = [this.#value, this.#old];
    if (!isMap(value) || !isMap(old)) return undefined;
    if (!Object.hasOwn(value, name) || !Object.hasOwn(old, name)) return undefined;
    const schema = propertyOf(this.#schema, name) ?? additionalOf(this.#schema);
    return schema && this.#part(name, () => new Correlated(value[name], old[name], schema));
  }

  /** An item of a list by keys; undefined where no item before had the same. */
  item(index: number): Correlated | undefined {
    const [value, old] = [this.#value, this.#old];
    const schema = itemsOf(this.#schema);
    if (!Array.isArray(value) || !Array.isArray(old) || !schema) return undefined;
    this.#oldItems ??= keyedItems(this.#schema, old);
    const before = this.#oldItems.find(value[index]);
    if (before === undefined) return undefined;
    return this.#part(index, () => new Correlated(value[index], before, schema));
  }

  /** What was compared of a part is remembered with it. */
  #part(step: string | number, make: () => Correlated): Correlated {
    let part = this.#parts.get(step);
    if (part === undefined) {
      part = make();
      this.#parts.set(step, part);
    }
    return part;
  }

  /** Whether it is what it was, as far as the schema tells its parts. */
  get isSame(): boolean {
    this.#isSame ??= this.#compare();
    return this.#isSame;
  }

  get #isByKeys(): boolean {
    return this.#schema["x-kubernetes-list-type"] === "map";
  }

  #compare(): boolean {
    const [value, old] = [this.#value, this.#old];
    if (Array.isArray(value) && Array.isArray(old)) {
      if (value.length !== old.length) return false;
      if (!this.#isByKeys) return sameJson(value, old);
      return value.every((_, i) => this.item(i)?.isSame === true);
    }
    if (!isMap(value) || !isMap(old)) return sameJson(value ?? null, old ?? null);
    const names = Object.keys(value);
    if (names.length !== Object.keys(old).length) return false;
    return names.every((name) => this.member(name)?.isSame === true);
  }
}
