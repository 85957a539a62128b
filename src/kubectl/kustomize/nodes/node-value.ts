import { decodeBase64 } from "../../../base/base64.ts";
import { isMap } from "../../../schema/json/json-value.ts";
import { setMember } from "../../../schema/json/strict-json.ts";
import { KustomizeError } from "../kustomize-error.ts";
import { repeatedKeys } from "./repeated-keys.ts";
import { plainValue, resolvedTag } from "./resolve-node.ts";
import { writeNode } from "./write-node.ts";
import { membersOf, tags, type YamlNode } from "./yaml-node.ts";

/** A node as JSON: what a reader of the text would see that the node is written as. */
export const nodeValue = (node: YamlNode): unknown => jsonOf(decodedNode(node));

/** A node as Go decodes it: below the top, mappings with other keys than strings become maps. */
export function decodedNode(node: YamlNode): unknown {
  if (hasRepeatedKeys(node)) {
    const problems = repeatedKeys(writeNode(node));
    throw new KustomizeError(`yaml: unmarshal errors:\n  ${problems.join("\n  ")}`);
  }
  return decode(node, true);
}

function decode(node: YamlNode, isTop: boolean): unknown {
  if (node.kind === "sequence") return node.content.map((item) => decode(item, false));
  if (node.kind === "scalar") return scalarValue(node);
  if (node.kind === "none") return null;
  const members = membersOf(node);
  const values = members.map(([key, value]) => [key, decode(value, false)] as const);
  if (!isTop && members.some(([key]) => typeof scalarValue(key) !== "string")) {
    return new Map(values.map(([key, value]) => [scalarValue(key), value]));
  }
  const object: Record<string, unknown> = {};
  for (const [key, value] of values) setMember(object, key.value, value);
  return object;
}

function hasRepeatedKeys(node: YamlNode): boolean {
  if (node.kind === "mapping") {
    const names = membersOf(node).map(([key]) => key.value);
    if (new Set(names).size < names.length) return true;
  }
  return node.content.some(hasRepeatedKeys);
}

function jsonOf(value: unknown): unknown {
  if (value instanceof Map) {
    throw new KustomizeError("json: unsupported type: map[interface {}]interface {}");
  }
  if (Array.isArray(value)) return value.map(jsonOf);
  if (typeof value === "number" && !Number.isFinite(value)) {
    const name = Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
    throw new KustomizeError(`json: unsupported value: ${name}`);
  }
  if (!isMap(value)) return value;
  const object: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) setMember(object, name, jsonOf(member));
  return object;
}

/** The members of a mapping that are read as texts, such as labels. */
export function nodeTexts(node: YamlNode | undefined): Map<string, string> {
  return new Map(membersOf(node).map(([key, value]) => [key.value, value.value]));
}

function scalarValue(node: YamlNode): unknown {
  const { tag, value, style } = node;
  const quoted = style !== "plain" && style !== "flow";
  if (tag === tags.string) return value;
  if (tag === "") {
    if (quoted || value.includes("\n")) return value;
    return typedValue(resolvedTag(value), value);
  }
  const actual = resolvedTag(value);
  if (actual === tag && !node.tagged) return quoted ? value : typedValue(tag, value);
  return taggedValue(tag, actual, value);
}

/** A value whose tag stands in the text, because the value alone would be something else. */
function taggedValue(tag: string, actual: string, value: string): unknown {
  if (tag === tags.binary) return new TextDecoder().decode(decodeBase64(value));
  if (!checked.has(tag)) return value;
  if (actual !== tag && !(tag === tags.float && actual === tags.int)) {
    throw new KustomizeError(`yaml: cannot decode ${actual} \`${value}\` as a ${tag}`);
  }
  return typedValue(tag, value);
}

const checked: ReadonlySet<string> = new Set([
  tags.null,
  tags.bool,
  tags.int,
  tags.float,
  tags.timestamp,
]);

function typedValue(tag: string, text: string): unknown {
  if (tag === tags.timestamp) return timestampText(text);
  const value = plainValue(text);
  if (typeof value !== "number") return value;
  // Whole numbers beyond those that are exact are written with all digits.
  const whole = Number.isInteger(value) && !Number.isSafeInteger(value);
  return whole && Math.abs(value) < 2 ** 63 ? BigInt(value) : value;
}

/** Dates and times become what Go writes: `2024-01-02` the first second of that day. */
function timestampText(text: string): string {
  const match =
    /^(\d{4})-(\d\d?)-(\d\d?)(?:[Tt ](\d\d?):(\d\d?):(\d\d?)(\.\d+)?(Z|[+-]\d\d:\d\d)?)?$/.exec(
      text,
    );
  if (match === null) return text;
  const [, year, month = "", day = "", hour = "0", minute = "0", second = "0", part, zone] = match;
  const two = (digits: string) => digits.padStart(2, "0");
  const fraction = (part ?? "").replace(/\.?0+$/, "");
  const offset = zone === undefined || zone === "+00:00" || zone === "-00:00" ? "Z" : zone;
  const time = [hour, minute, second].map(two).join(":");
  return `${year}-${two(month)}-${two(day)}T${time}${fraction}${offset}`;
}
