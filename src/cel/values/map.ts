import {
  CelDuration,
  CelError,
  CelMap,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
} from "./cel-value.ts";
import { CelCidr, CelIp } from "./kubernetes-values.ts";
import { mustBeHashable } from "./panic.ts";
import { showValue } from "./show-value.ts";

/** A map with keys of any type. The same number is another key in each type, until it is looked for. */
export class EntryMap extends CelMap {
  readonly #values = new Map<unknown, CelValue>();
  readonly #keys: CelValue[] = [];

  constructor(entries: Iterable<readonly [CelValue, CelValue]> = []) {
    super();
    for (const [key, value] of entries) this.set(key, value);
  }

  override get size(): number {
    return this.#keys.length;
  }

  override find(key: CelValue): CelValue | undefined {
    const found = this.#values.get(identityOf(key));
    if (found !== undefined) return found;
    for (const other of sameNumbers(key)) {
      const same = this.#values.get(identityOf(other));
      if (same !== undefined) return same;
    }
    return undefined;
  }

  override keys(): readonly CelValue[] {
    return this.#keys;
  }

  /** Only for who makes the map. */
  set(key: CelValue, value: CelValue): void {
    mustBeHashable(key);
    const identity = identityOf(key);
    if (!this.#values.has(identity)) this.#keys.push(key);
    this.#values.set(identity, value);
  }

  /** Only for who makes the map. */
  delete(key: CelValue): void {
    const identity = identityOf(key);
    if (!this.#values.delete(identity)) return;
    this.#keys.splice(
      this.#keys.findIndex((own) => identityOf(own) === identity),
      1,
    );
  }
}

/** A map that a fold adds to: nobody else sees it before it is whole. */
export class GrowingMap extends EntryMap {}

/** A map with one more entry; it must not have the key yet. */
export function insertEntry(map: CelMap, key: CelValue, value: CelValue): CelMap | CelError {
  if (map.find(key) !== undefined)
    return new CelError(`insert failed: key ${showValue(key)} already exists`);
  const target = map instanceof GrowingMap ? map : new EntryMap(entriesOf(map));
  target.set(key, value);
  return target;
}

/** The entries of a map. */
export function entriesOf(map: CelMap): (readonly [CelValue, CelValue])[] {
  return map.keys().map((key) => [key, map.find(key) ?? null] as const);
}

/** What two keys have in common that are one. */
function identityOf(key: CelValue): unknown {
  if (typeof key !== "object" || key === null) return key;
  if (key instanceof CelUint) return `\u0000uint ${key.value}`;
  if (key instanceof CelTimestamp) return `\u0000time ${key.seconds} ${key.nanos} ${key.offset}`;
  if (key instanceof CelDuration) return `\u0000duration ${key.nanos}`;
  if (key instanceof CelTypeValue) return `\u0000type ${key.name}`;
  if (key instanceof CelIp || key instanceof CelCidr) return `\u0000${key.typeName} ${key}`;
  return key;
}

/** The same number as a key of the other types. */
function sameNumbers(key: CelValue): readonly CelValue[] {
  if (typeof key === "bigint") return key < 0n ? [] : [new CelUint(key)];
  if (key instanceof CelUint) return key.value < 2n ** 63n ? [key.value] : [];
  if (typeof key !== "number" || !Number.isInteger(key)) return [];
  const whole = BigInt(key);
  return [
    ...(Math.abs(key) < 2 ** 63 ? [whole] : []),
    ...(key >= 0 && key < 2 ** 64 ? [new CelUint(whole)] : []),
  ];
}
