/** A JSON object of any shape. */
export type Members = Readonly<Record<string, unknown>>;

export const isMembers = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/** A JSON text that is the same for equal values: members are in the order of their names. */
export const stable = (value: unknown): string =>
  JSON.stringify(value, (_, held: unknown) =>
    isMembers(held) ? Object.fromEntries(Object.entries(held).sort(byName)) : held,
  );

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  compareText(a, b);

export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** For sorting values that have no order of their own. */
export const compareStable = (a: unknown, b: unknown): number => compareText(stable(a), stable(b));

/** A copy of a value in which every string, names of members included, is mapped. */
export function mapStrings(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === "string") return map(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, map));
  if (!isMembers(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, held]) => [map(name), mapStrings(held, map)]),
  );
}

/** The part of a value that an expression names: `a.b[c=d].e`, `a[0]`, `a.length`. */
export function pick(value: unknown, expression: string): unknown {
  let held = value;
  for (const part of expression.match(/[^.[\]]+|\[[^\]]*\]/g) ?? []) {
    if (held === undefined || held === null) return undefined;
    held = part.startsWith("[") ? pickItem(held, part.slice(1, -1)) : (held as Members)[part];
  }
  return held;
}

function pickItem(value: unknown, selector: string): unknown {
  const equals = selector.indexOf("=");
  if (equals < 0) return (value as Members)[selector];
  const [name, wanted] = [selector.slice(0, equals), selector.slice(equals + 1)];
  if (!Array.isArray(value)) return undefined;
  return value.find((item: Members) => String(item[name]) === wanted);
}

/** What a value must be, as the steps of scenarios write it; without any of these it must exist. */
export interface Condition {
  readonly equals?: unknown;
  readonly matches?: string;
  readonly atLeast?: number;
  readonly exists?: boolean;
}

export function meets(value: unknown, condition: Condition): boolean {
  if ("equals" in condition) return stable(value ?? null) === stable(condition.equals);
  if (condition.matches !== undefined)
    return new RegExp(condition.matches).test(String(value ?? ""));
  if (condition.atLeast !== undefined) return Number(value) >= condition.atLeast;
  const exists = value !== undefined && value !== null;
  if (condition.exists !== undefined) return exists === condition.exists;
  return value !== undefined;
}
