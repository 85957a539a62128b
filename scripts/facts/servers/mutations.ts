import { isMembers, type Members } from "../values.ts";

/** A changed copy of an object, and the change as a merge patch. */
export interface Mutation {
  readonly what: string;
  readonly object: Members;
  readonly patch: Members;
}

/** Copies of an object in which one value below `spec`, `status` or another own field is changed. */
export function mutations(object: Members): readonly Mutation[] {
  const { apiVersion: _a, kind: _k, metadata: _m, ...own } = object;
  return places(own, []).flatMap(({ path, value }) =>
    changes(value).map(([what, changed]) => ({
      what: `${path.join(".")} ${what}`,
      object: replaced(object, path, changed) as Members,
      patch: patchOf(own, path, changed),
    })),
  );
}

interface Place {
  readonly path: readonly (string | number)[];
  readonly value: unknown;
}

function places(value: unknown, path: Place["path"]): readonly Place[] {
  const own = path.length === 0 ? [] : [{ path, value }];
  if (Array.isArray(value))
    return [...own, ...value.slice(0, 2).flatMap((item, i) => places(item, [...path, i]))];
  if (!isMembers(value)) return own;
  return [
    ...own,
    ...Object.entries(value).flatMap(([name, held]) => places(held, [...path, name])),
  ];
}

const removed = Symbol("removed");

/** What a value is changed into, with a name for each. */
function changes(value: unknown): readonly (readonly [what: string, changed: unknown])[] {
  const always = [
    ["removed", removed],
    ["null", null],
  ] as const;
  switch (typeof value) {
    case "string":
      return [
        ...always,
        ["empty", ""],
        ["a number", 7],
        ["long", "x".repeat(300)],
        ["odd", "No such Välue!"],
      ];
    case "number":
      return [
        ...always,
        ["a string", "7"],
        ["negative", -1],
        ["large", 9_007_199_254_740_991],
        ["a fraction", 1.5],
      ];
    case "boolean":
      return [...always, ["a string", "true"]];
    default:
      if (Array.isArray(value))
        return [
          ...always,
          ["a map", {}],
          ["empty", []],
          ["with a repeated item", [...value, value[0] ?? null]],
          ["with null", [...value, null]],
        ];
      return [
        ...always,
        ["a list", []],
        ["empty", {}],
        ["with an unknown field", { ...(value as Members), zzUnknown: 1 }],
      ];
  }
}

function replaced(value: unknown, path: Place["path"], changed: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return changed;
  if (Array.isArray(value)) {
    const item = replaced(value[Number(first)], rest, changed);
    return item === removed ? value.toSpliced(Number(first), 1) : value.with(Number(first), item);
  }
  const { [first]: held, ...others } = value as Members;
  const made = replaced(held, rest, changed);
  return made === removed ? others : { ...(value as Members), [first]: made };
}

/** Below a list, a merge patch has the whole list. */
function patchOf(value: unknown, path: Place["path"], changed: unknown): Members {
  const [first = "", ...rest] = path;
  const held = (value as Members)[first];
  if (rest.length === 0) return { [first]: changed === removed ? null : changed };
  if (Array.isArray(held)) return { [first]: replaced(held, rest, changed) };
  return { [first]: patchOf(held, rest, changed) };
}

/** Evenly many of a long list. */
export function sampleOf<T>(items: readonly T[], limit: number): readonly T[] {
  if (items.length <= limit) return items;
  return Array.from(
    { length: limit },
    (_, i) => items[Math.floor((i * items.length) / limit)] as T,
  );
}
