import { quote } from "../../../schema/values/quote.ts";
import { compareUtf8 } from "../../../schema/values/utf8-order.ts";
import { formatFloat } from "../../../schema/yaml/yaml-scalar.ts";

/** A decoded value as Go's %#v writes it. */
export function goSyntaxText(value: unknown): string {
  if (value === null || value === undefined) return "interface {}(nil)";
  if (typeof value === "string") return quote(value);
  if (typeof value === "number") return Number.isInteger(value) ? `${value}` : formatFloat(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntaxText).join(", ")}}`;
  if (typeof value !== "object") return String(value);
  const isOpen = value instanceof Map;
  const entries: (readonly [unknown, unknown])[] = isOpen ? [...value] : Object.entries(value);
  const members = entries
    .toSorted(([a], [b]) => compareKeys(a, b))
    .map(([name, member]) => `${goSyntaxText(name)}:${goSyntaxText(member)}`);
  return `map[${isOpen ? "interface {}" : "string"}]interface {}{${members.join(", ")}}`;
}

/** Strings come first, and numbers are in their order. */
function compareKeys(a: unknown, b: unknown): number {
  if (typeof a === "string" && typeof b === "string") return compareUtf8(a, b);
  if (typeof a === typeof b) return Number(a) - Number(b);
  return typeof a === "string" ? -1 : 1;
}
