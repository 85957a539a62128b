import { literal, Source } from "./generate.ts";

/** Makes an object of values in the order of all its names; what is undefined is absent. */
export type MakeFrom = (...values: readonly unknown[]) => object;

/** What makes objects with some of a set of names, which objects have in few combinations. */
export interface MakeObject {
  /** What makes those that have the names whose bits are set: the first 31 in one number, more in another. */
  of(low: number, high: number): MakeFrom;
}

/** So many combinations of names have a function of their own. */
const mostMakers = 32;

/**
 * Makes objects by literals, of which there is one for each combination of names: all that have the
 * same names are of one layout, made in one step. Undefined where there are too many names.
 */
export function objectMaker(names: readonly string[]): MakeObject | undefined {
  if (names.length > 62 || names.some((name) => name in {})) return undefined;
  const makers = new Map<number, MakeFrom>();
  let [lastLow, lastHigh] = [-1, -1];
  let last: MakeFrom = makeAny(names);

  function find(low: number, high: number): MakeFrom {
    const key = high * 2 ** 31 + low;
    let maker = makers.get(key);
    if (!maker) {
      maker = (makers.size < mostMakers && generateMaker(names, low, high)) || makeAny(names);
      if (makers.size < mostMakers) makers.set(key, maker);
    }
    return maker;
  }

  return {
    of(low, high) {
      if (low === lastLow && high === lastHigh) return last;
      last = find(low, high);
      lastLow = low;
      lastHigh = high;
      return last;
    },
  };
}

const hasBit = (i: number, low: number, high: number): boolean =>
  (i < 31 ? low & (1 << i) : high & (1 << (i - 31))) !== 0;

function generateMaker(names: readonly string[], low: number, high: number): MakeFrom | undefined {
  const values = names.map((_, i) => `value${i}`);
  const members = names.flatMap((name, i) =>
    hasBit(i, low, high) ? [`${literal(name)}: value${i}`] : [],
  );
  return new Source().toFunction(`(${values.join(", ")}) => ({ ${members.join(", ")} })`);
}

/** The same without a function of its own. */
const makeAny =
  (names: readonly string[]): MakeFrom =>
  (...values) => {
    const made: Record<string, unknown> = {};
    for (const [i, name] of names.entries()) if (values[i] !== undefined) made[name] = values[i];
    return made;
  };
