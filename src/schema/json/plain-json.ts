import type { JsonMap } from "./json-value.ts";
import { type JsonNode, maxKeptDepth, setMember } from "./strict-json.ts";

/** A value that JSON cannot say, and where it is: `spec.replicas is NaN, which is no JSON`. */
export class PlainJsonError extends TypeError {
  override readonly name = "PlainJsonError";
}

/**
 * A copy of a value that somebody hands over instead of text, as the text of it would be read:
 * members that are undefined are left out, and what has a JSON form of its own, such as a date, is in
 * that. What text would silently leave out or change is refused.
 */
export function plainJson(value: unknown): unknown {
  return copied(value, []);
}

/** A value of JSON as its text would be parsed. */
export function jsonNode(value: unknown): JsonNode {
  if (Array.isArray(value)) return { kind: "array", items: value.map(jsonNode), ...nowhere };
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).map(([name, member]) => ({
      name,
      value: jsonNode(member),
    }));
    return { kind: "object", members, ...nowhere };
  }
  if (typeof value === "string") return { kind: "string", value, ...nowhere };
  if (typeof value === "boolean") return { kind: "boolean", value, ...nowhere };
  if (typeof value === "number" || typeof value === "bigint")
    return { kind: "number", literal: String(value), ...nowhere };
  return { kind: "null", ...nowhere };
}

const nowhere = { start: 0, end: 0 };

type Path = (string | number)[];

function copied(value: unknown, path: Path): unknown {
  switch (typeof value) {
    case "string":
      return wellFormed(value);
    case "boolean":
      return value;
    case "number":
      if (!Number.isFinite(value)) throw refused(path, String(value));
      // Text knows no negative zero.
      return value === 0 ? 0 : value;
    case "bigint":
      return wholeNumber(value, path);
    case "object":
      return value === null ? null : container(value, path);
    case "undefined":
      return null;
    default:
      throw refused(path, `a ${typeof value}`);
  }
}

function container(value: object, path: Path): unknown {
  if (path.length > maxKeptDepth) throw tooDeep(path);
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (typeof toJSON === "function") return copied(toJSON.call(value, ""), path);
  if (Array.isArray(value)) {
    const items = new Array<unknown>(value.length);
    for (let i = 0; i < items.length; i++) {
      path.push(i);
      items[i] = copied(value[i], path);
      path.pop();
    }
    return items;
  }
  if (!isPlain(value)) throw refused(path, `a ${tagOf(value).slice("[object ".length, -1)}`);
  const copy: JsonMap = {};
  for (const name of Object.keys(value)) {
    const member = (value as JsonMap)[name];
    if (member === undefined) continue;
    path.push(name);
    setMember(copy, wellFormed(name), copied(member, path));
    path.pop();
  }
  return copy;
}

/** Whether it is made of members alone, in whatever realm it was made. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || tagOf(value) === "[object Object]";
}

const tagOf = (value: object): string => Object.prototype.toString.call(value);

/** An integer in the form in which it is read from text. */
function wholeNumber(value: bigint, path: Path): number | bigint {
  if (BigInt.asIntN(64, value) !== value)
    throw new PlainJsonError(`${pathText(path)} is ${value}n, which does not fit in 64 bits`);
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** Half a character is read as the replacement character. */
const wellFormed = (text: string): string =>
  halfCharacter.test(text) ? text.replaceAll(halfCharacters, "\ufffd") : text;
const halfCharacter = /\p{Surrogate}/u;
const halfCharacters = /\p{Surrogate}/gu;

const refused = (path: Path, what: string): PlainJsonError =>
  new PlainJsonError(`${pathText(path)} is ${what}, which is no JSON`);

const tooDeep = (path: Path): PlainJsonError =>
  new PlainJsonError(
    `${pathText(path.slice(0, 8))}… exceeded max depth: it is nested more than ${maxKeptDepth} levels deep, or part of itself`,
  );

function pathText(path: Path): string {
  const text = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`)).join("");
  return text === "" ? "the value" : text.replace(/^\./, "");
}
