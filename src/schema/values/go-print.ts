import { quote } from "./quote.ts";
import { sortedKeys } from "./utf8-order.ts";

/** A value that Go holds in a place of JSON although JSON has no such value, as an expression can make one. */
export class GoValue {
  readonly type: string;
  /** How Go prints it with %v. */
  readonly text: string;
  /** The same with %#v. */
  readonly syntax: string;

  constructor(type: string, text: string, syntax = text) {
    this.type = type;
    this.text = text;
    this.syntax = syntax;
  }
}

/** The Go type that holds a value of JSON, as errors name it. */
export function goType(value: unknown): string {
  if (value instanceof GoValue) return value.type;
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "bigint":
      return "int64";
    case "number":
      return isInt64(value) ? "int64" : "float64";
    default:
      return "map[string]interface {}";
  }
}

/** A value of JSON as Go prints it with %v: `map[a:1 b:[x <nil>]]`. */
export function goString(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return goNumber(value);
  if (value instanceof GoValue) return value.text;
  if (value === null || value === undefined) return "<nil>";
  return typeof value === "object" ? nested(value, goString) : `${value as boolean | bigint}`;
}

/** A value of JSON in Go's syntax, as it prints it with %#v: `map[string]interface {}{"a":1}`. */
export function goSyntax(value: unknown): string {
  if (value === null || value === undefined) return "interface {}(nil)";
  if (typeof value === "string") return quote(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (typeof value !== "object") return goString(value);
  if (value instanceof GoValue) return value.syntax;
  const map = value as Readonly<Record<string, unknown>>;
  const members = sortedKeys(map).map((name) => `${quote(name)}:${goSyntax(map[name])}`);
  return `map[string]interface {}{${members.join(", ")}}`;
}

/** A value of JSON as Go prints it with %s, which is only meant for strings: `%!s(int64=1)`. */
export function goText(value: unknown): string {
  return value === null || value === undefined ? "%!s(<nil>)" : nestedText(value);
}

function nestedText(value: unknown): string {
  if (typeof value === "string" || value === null || value === undefined) return goString(value);
  if (typeof value === "object") return nested(value, nestedText);
  return `%!s(${goType(value)}=${goString(value)})`;
}

function nested(value: object, print: (value: unknown) => string): string {
  if (Array.isArray(value)) return `[${value.map(print).join(" ")}]`;
  const map = value as Readonly<Record<string, unknown>>;
  return `map[${sortedKeys(map)
    .map((name) => `${name}:${print(map[name])}`)
    .join(" ")}]`;
}

const isInt64 = (value: number): boolean => Number.isInteger(value) && Math.abs(value) < 2 ** 63;

const goNumber = (value: number): string => (isInt64(value) ? String(value) : goFloat(value));

/** A float64 as Go prints it with %v: with an exponent below 1e-4 and from 1e6 on, of two digits at least. */
export function goFloat(value: number): string {
  const text = value.toExponential();
  const exponent = Number(text.slice(text.indexOf("e") + 1));
  if (exponent >= -4 && exponent < 6) return String(value);
  return text.replace(/e([+-])(\d)$/, "e$10$2");
}
