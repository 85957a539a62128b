import type { Random } from "../../base/random.ts";
import { isMap, type JsonMap, member } from "../json/json-value.ts";
import type { FieldShape, Shape } from "../language/shape.ts";

/** Documents and patches by chance: few names and values, so that they often meet. */
export interface Chance {
  (probability: number): boolean;
  below(limit: number): number;
  pick<T>(from: readonly T[]): T;
}

export function chanceOf(random: Random): Chance {
  const below = (limit: number): number => Math.floor(random.next() * limit);
  const pick = <T>(from: readonly T[]): T => from[below(from.length)] as T;
  return Object.assign((probability: number) => random.next() < probability, { below, pick });
}

const words = ["a", "b", "c", "d", "e"];
const maxDepth = 9;

/** A document of a shape, in which items of lists that are merged have keys of their own. */
export function randomMap({ map }: Shape, chance: Chance, depth = 0): JsonMap {
  const out: JsonMap = {};
  const share = depth < 3 ? 0.5 : 0.25;
  for (const [name, field] of map?.fields ?? [])
    if (chance(share)) assign(out, name, randomField(field, chance, depth));
  if (map?.items && map.fields.size === 0)
    for (const name of some(words, chance))
      assign(out, name, randomValue(map.items, chance, depth + 1));
  return out;
}

/** The same document with some things added, changed, moved and deleted. */
export function randomChange({ map }: Shape, document: JsonMap, chance: Chance): JsonMap {
  const out: JsonMap = {};
  for (const [name, value] of Object.entries(document)) {
    const field = map?.fields.get(name) ?? (map?.items && { shape: map.items });
    if (chance(0.1)) continue;
    out[name] = field && chance(0.5) ? changedField(field, value, chance) : value;
  }
  for (const [name, field] of map?.fields ?? [])
    if (!Object.hasOwn(out, name) && chance(0.05)) assign(out, name, randomField(field, chance, 4));
  return out;
}

/** What is no patch any more: directives where none belong, nulls, values of other types. */
export function randomDamage(value: unknown, chance: Chance): unknown {
  if (chance(0.03))
    return chance.pick<unknown>([
      null,
      "x",
      5,
      1.5,
      true,
      [],
      {},
      [null],
      [["a"]],
      [{}],
      2n ** 60n,
    ]);
  if (Array.isArray(value)) return value.map((item) => randomDamage(item, chance));
  if (!isMap(value)) return value;
  const out: JsonMap = {};
  for (const name of Object.keys(value))
    if (!chance(0.03)) out[name] = randomDamage(value[name], chance);
  const names = [...Object.keys(value), "nothing", ""];
  if (chance(0.1))
    out.$patch = chance.pick<unknown>(["delete", "replace", "merge", "x", null, 1, {}]);
  if (chance(0.1))
    out.$retainKeys = chance.pick<unknown>([names, some(names, chance), null, "x", [{}]]);
  for (const prefix of ["$setElementOrder", "$deleteFromPrimitiveList"]) {
    if (!chance(0.1)) continue;
    const name = chance.pick(names);
    const list = member(value, name);
    const items = Array.isArray(list)
      ? some(list, chance)
      : chance.pick<unknown>([null, "x", {}, []]);
    out[chance.pick([`${prefix}/${name}`, `${prefix}/${name}`, prefix, `${prefix}.a`])] = items;
  }
  return out;
}

function assign(out: JsonMap, name: string, value: unknown): void {
  if (value !== undefined) out[name] = value;
}

function randomField(field: FieldShape, chance: Chance, depth: number): unknown {
  const { list } = field.shape;
  // It counts as a change even where it stays the same.
  if (field.patchStrategy === "replace") return undefined;
  if (!list || field.shape.scalar) return randomValue(field.shape, chance, depth + 1);
  if (depth >= maxDepth || list.items.list) return undefined;
  const items = Array.from({ length: chance.below(5) }, () => randomItem(field, chance, depth));
  return isMerged(field) ? distinct(items, field) : items;
}

const isMerged = ({ patchStrategy = "replace" }: FieldShape): boolean =>
  patchStrategy.startsWith("merge");

function randomItem({ shape, patchMergeKey }: FieldShape, chance: Chance, depth: number): unknown {
  const items = shape.list?.items ?? {};
  const item = randomValue(items, chance, depth + 1);
  const key = patchMergeKey && items.map?.fields.get(patchMergeKey);
  if (!key || !isMap(item)) return item;
  return { ...item, [patchMergeKey]: randomValue(key.shape, chance, depth + 1) };
}

/** Items whose key, or else value, was not there before. */
function distinct(items: readonly unknown[], { patchMergeKey }: FieldShape): unknown[] {
  const keys = new Set<unknown>();
  return items.filter((item) => {
    const key = patchMergeKey && isMap(item) ? item[patchMergeKey] : item;
    const isNew = !keys.has(key);
    keys.add(key);
    return isNew && key !== undefined;
  });
}

function randomValue(shape: Shape, chance: Chance, depth: number): unknown {
  const { scalar, map } = shape;
  if (scalar === "numeric") return chance.below(4);
  if (scalar === "boolean") return chance(0.5);
  if (scalar) return chance.pick(words);
  return map && !map.items?.list && depth < maxDepth ? randomMap(shape, chance, depth) : undefined;
}

function changedField(field: FieldShape, value: unknown, chance: Chance): unknown {
  const { shape } = field;
  if (Array.isArray(value)) return changedList(field, value, chance);
  if (isMap(value)) return randomChange(shape, value, chance);
  return randomField(field, chance, 4) ?? value;
}

function changedList(field: FieldShape, list: readonly unknown[], chance: Chance): unknown[] {
  const items = field.shape.list?.items ?? {};
  const key = field.patchMergeKey;
  const kept = list.flatMap((item) => {
    if (chance(0.2)) return [];
    if (!isMap(item) || chance(0.5)) return [item];
    const changed = randomChange(items, item, chance);
    return [key === undefined ? changed : { ...changed, [key]: item[key] }];
  });
  if (chance(0.4)) kept.push(randomItem(field, chance, 4));
  const moved = chance(0.3) ? shuffled(kept, chance) : kept;
  return isMerged(field) ? distinct(moved, field) : moved.filter((item) => item !== undefined);
}

function shuffled<T>(items: readonly T[], chance: Chance): T[] {
  const out = [...items];
  for (let i = out.length - 1; i > 0; i--) {
    const j = chance.below(i + 1);
    [out[i], out[j]] = [out[j] as T, out[i] as T];
  }
  return out;
}

const some = <T>(items: readonly T[], chance: Chance): T[] =>
  shuffled(items, chance).slice(0, chance.below(items.length + 1));
