import { formatFloat, isTimestamp, resolveScalar } from "../../../schema/yaml/yaml-scalar.ts";
import { tags, YamlNode } from "./yaml-node.ts";

/** What a text of no known type is: its tag by YAML 1.2, as far as kustomize follows it. */
export function resolvedTag(text: string): string {
  if (text === "<<") return tags.merge;
  const value = plainValue(text);
  if (value === null) return tags.null;
  if (typeof value === "boolean") return tags.bool;
  if (typeof value === "string") return isTimestamp(text) ? tags.timestamp : tags.string;
  if (typeof value === "bigint") return tags.int;
  return integerText.test(text) ? tags.int : tags.float;
}

/** A plain text as a value: `yes` and `off` are words, other than in YAML 1.1. */
export function plainValue(text: string): string | number | bigint | boolean | null {
  return oldWords.test(text) ? text : resolveScalar(text);
}

/** Whether YAML 1.1, which kubectl speaks, would take a text for something other than a string. */
export function isOldNonString(text: string): boolean {
  if (text === "" || text.includes("\n")) return false;
  return typeof resolveScalar(text) !== "string" || collection.test(text);
}

/** A JSON value as a node, with keys in order and numbers as Go writes them. */
export function nodeOfValue(value: unknown): YamlNode {
  if (Array.isArray(value)) {
    return new YamlNode({ kind: "sequence", tag: tags.seq, content: value.map(nodeOfValue) });
  }
  if (typeof value === "object" && value !== null) {
    const names = Object.keys(value).toSorted();
    const content = names.flatMap((name) => [
      nodeOfValue(name),
      nodeOfValue((value as Record<string, unknown>)[name]),
    ]);
    return new YamlNode({ kind: "mapping", tag: tags.map, content });
  }
  if (value === null || value === undefined) {
    return new YamlNode({ kind: "scalar", tag: tags.null, value: "null" });
  }
  if (typeof value === "string") {
    const quoted = resolvedTag(value) !== tags.string || isOldNonString(value);
    const style = value.includes("\n") ? "literal" : quoted ? "double" : "plain";
    return new YamlNode({ kind: "scalar", tag: tags.string, value, style });
  }
  const text = typeof value === "boolean" ? String(value) : formatFloat(Number(value));
  return new YamlNode({ kind: "scalar", tag: resolvedTag(text), value: text });
}

const oldWords = /^(?:[yY]|[nN]|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF)$/;
const integerText = /^[-+]?(?:0[xXbBoO])?[0-9a-fA-F_]+$/;
const collection = /^(?:[[{].*[\]}]|- .*|[^"'\s].*: .*|[^"'\s].*:)$/;
