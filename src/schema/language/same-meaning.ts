import { compareQuantities, parseQuantity } from "../values/quantity.ts";
import type { Struct } from "./struct.ts";
import { structOf, type Type } from "./type.ts";
import { sameValue } from "./validate.ts";

type Members = Readonly<Record<string, unknown>>;

/**
 * Whether two values of a struct mean the same: lists and maps may be absent or empty, and quantities are
 * equal by what they amount to.
 */
export function sameMeaning(struct: Struct, a: unknown, b: unknown): boolean {
  if (a === b) return true;
  return Object.entries(struct.fields).every(([name, { type }]) =>
    sameOfType(type, (a as Members)[name], (b as Members)[name]),
  );
}

function sameOfType(type: Type, a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (isBlank(type, a) || isBlank(type, b)) return isBlank(type, a) && isBlank(type, b);
  const { code, of } = type;
  const struct = structOf(type);
  if (code === "struct" && struct) return sameMeaning(struct, a, b);
  if (code === "list" && of) {
    const [x, y] = [a as readonly unknown[], b as readonly unknown[]];
    return x.length === y.length && x.every((item, i) => sameOfType(of, item, y[i]));
  }
  if (code === "map" && of) {
    const [x, y] = [a as Members, b as Members];
    const names = Object.keys(x);
    return (
      names.length === Object.keys(y).length &&
      names.every((name) => Object.hasOwn(y, name) && sameOfType(of, x[name], y[name]))
    );
  }
  if (code === "quantity")
    return compareQuantities(parseQuantity(String(a)), parseQuantity(String(b))) === 0;
  return sameValue(a, b);
}

function isBlank({ code }: Type, value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (code === "list") return (value as readonly unknown[]).length === 0;
  return code === "map" && Object.keys(value).length === 0;
}
