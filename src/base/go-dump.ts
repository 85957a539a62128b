import { fnv32a } from "./hashes/fnv32a.ts";

/** A type of Go whose values can be printed as Go's `spew` does with `%#v`: hashes of that text are stored. */
export interface GoType<V> {
  readonly name: string;
  /** The text of a value, after its type. */
  text(value: V): string;
  /** The text of a value in a list or map, where no type is printed. */
  bare(value: V): string;
}

/** Prints a value with its type. */
const goDump = <V>(type: GoType<V>, value: V): string => `(${type.name})${type.text(value)}`;

/** The hash of a printed value, by which upstream's kubelets verify their files. */
export const goChecksum = <V>(type: GoType<V>, value: V): number =>
  fnv32a(new TextEncoder().encode(goDump(type, value)));

/** A string or a number. */
export function goScalar<V extends string | number | bigint>(name: string): GoType<V> {
  return { name, text: String, bare: String };
}

export const goString: GoType<string> = goScalar("string");

/** A slice; null is nil. */
export function goSlice<V>(item: GoType<V>, name = `[]${item.name}`): GoType<Iterable<V> | null> {
  const text = (list: Iterable<V> | null): string =>
    list === null ? nil : `[${Array.from(list, (one) => item.bare(one)).join(" ")}]`;
  return { name, text, bare: text };
}

/** A map, whose keys are printed in order. */
export function goMap<V>(
  item: GoType<V>,
  name: string,
  keys: "texts" | "numbers" = "texts",
): GoType<Readonly<Record<string, V>>> {
  const compareKeys = keys === "numbers" ? compareNumbers : compareTexts;
  const text = (map: Readonly<Record<string, V>>): string => {
    const entries = Object.entries(map).sort(([a], [b]) => compareKeys(a, b));
    return `map[${entries.map(([key, value]) => `${key}:${item.bare(value)}`).join(" ")}]`;
  };
  return { name, text, bare: text };
}

const compareNumbers = (a: string, b: string): number => Number(a) - Number(b);

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

type FieldsOf<V> = { readonly [K in keyof V]-?: GoType<V[K]> };

/** A struct, with its fields in order. */
export function goStruct<V extends object>(name: string, fields: FieldsOf<V>): GoType<V> {
  const text = (value: V): string => {
    const parts = Object.entries<GoType<unknown>>(fields as never).map(
      ([field, type]) => `${field}:${goDump(type, (value as Record<string, unknown>)[field])}`,
    );
    return `{${parts.join(" ")}}`;
  };
  return { name, text, bare: text };
}

/** A pointer that is not nil. */
export const goPointer = <V>(item: GoType<V>): GoType<V> => ({
  name: `*${item.name}`,
  text: (value) => item.text(value),
  bare: (value) => `<*>${item.text(value)}`,
});

const nil = "<nil>";
