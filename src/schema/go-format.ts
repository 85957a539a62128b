import { sortedKeys } from "./normalise.ts";
import { quote } from "./quote.ts";

/** A JSON value as Go prints it with %v: `map[a:1 b:[x y]]`. */
export function goValue(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(goValue).join(" ")}]`;
  if (typeof value !== "object") return String(value);
  const members = sortedKeys(value).map((name) => `${name}:${goValue(member(value, name))}`);
  return `map[${members.join(" ")}]`;
}

/** The same in Go's syntax, with %#v: `map[string]interface {}{"a":1}`. */
export function goSyntax(value: unknown): string {
  if (value === null || value === undefined) return "interface {}(nil)";
  if (typeof value === "string") return quote(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (typeof value !== "object") return String(value);
  const members = sortedKeys(value).map(
    (name) => `${quote(name)}:${goSyntax(member(value, name))}`,
  );
  return `map[string]interface {}{${members.join(", ")}}`;
}

/** What Go calls the type of a JSON value, with %T. */
export function goTypeName(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "number":
      return Number.isInteger(value) ? "int64" : "float64";
    case "bigint":
      return "int64";
    default:
      return "map[string]interface {}";
  }
}

const member = (object: object, name: string): unknown =>
  (object as Readonly<Record<string, unknown>>)[name];
