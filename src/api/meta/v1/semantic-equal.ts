import type { Struct } from "../../../schema/language/struct.ts";
import { structOf, type Type } from "../../../schema/language/type.ts";
import { compareQuantities, parseQuantity } from "../../../schema/values/quantity.ts";

/**
 * Whether two values of a struct mean the same: quantities are compared by their amounts (1Gi is
 * 1024Mi), and absent, null and an empty list or map are the same.
 */
export function semanticEqual<T>(struct: Struct<T>, a: T, b: T): boolean {
  return sameFields(struct as Struct, a, b);
}

function sameFields(struct: Struct, a: unknown, b: unknown): boolean {
  if (a === b) return true;
  const x = a as Readonly<Record<string, unknown>>;
  const y = b as Readonly<Record<string, unknown>>;
  for (const [name, field] of Object.entries(struct.fields))
    if (!sameOfType(field.type, x[name], y[name])) return false;
  return true;
}

function sameOfType(type: Type, a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (isBlank(a) || isBlank(b))
    return isBlank(a) && isBlank(b) ? true : type.code !== "struct" && isEmpty(a) && isEmpty(b);
  switch (type.code) {
    case "quantity":
      return compareQuantities(parseQuantity(`${a}`), parseQuantity(`${b}`)) === 0;
    case "struct":
      return sameFields(structOf(type) as Struct, a, b);
    case "list":
      return sameLists(type.of as Type, a as readonly unknown[], b as readonly unknown[]);
    case "map":
      return sameMaps(type.of as Type, a as object, b as object);
    case "raw":
    case "fieldsV1":
      return JSON.stringify(a) === JSON.stringify(b);
    default:
      return false;
  }
}

const sameLists = (of: Type, a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((item, i) => sameOfType(of, item, b[i]));

function sameMaps(of: Type, a: object, b: object): boolean {
  const entries = Object.entries(a);
  const other = b as Readonly<Record<string, unknown>>;
  return (
    entries.length === Object.keys(b).length &&
    entries.every(([key, item]) => Object.hasOwn(b, key) && sameOfType(of, item, other[key]))
  );
}

const isBlank = (value: unknown): boolean => value === undefined || value === null;
const isEmpty = (value: unknown): boolean =>
  isBlank(value) || (typeof value === "object" && Object.keys(value as object).length === 0);
