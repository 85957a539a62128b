/** Whether two JSON values are equal: members in any order, items in theirs, numbers by value. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null)
    // biome-ignore lint/suspicious/noDoubleEquals: a bigint may equal a number
    return isNumber(a) && isNumber(b) && a == b;
  if (Array.isArray(a))
    return (
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, index) => sameJson(item, b[index]))
    );
  if (Array.isArray(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && sameJson(member(a, name), member(b, name)))
  );
}

const isNumber = (value: unknown): value is number | bigint =>
  typeof value === "number" || typeof value === "bigint";
const member = (object: object, name: string): unknown =>
  (object as Readonly<Record<string, unknown>>)[name];
