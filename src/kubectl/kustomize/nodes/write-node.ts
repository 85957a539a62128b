import { scalarStyle } from "../../../schema/yaml/yaml-style.ts";
import { resolvedTag } from "./resolve-node.ts";
import { membersOf, tags, type YamlNode } from "./yaml-node.ts";

/** Writes a node as YAML, in its order and with its quoting. */
export function writeNode(node: YamlNode): string {
  if (node.kind === "none") return "null\n";
  const lines = isInline(node) ? [inline(node)] : blockLines(node);
  return `${lines.join("\n")}\n`;
}

/** Whether a node starts behind its key; a block scalar goes on below. */
const isInline = (node: YamlNode): boolean =>
  node.kind === "scalar" ? !isBlock(node) : node.style === "flow" || node.content.length === 0;

const isBlock = ({ style, value }: YamlNode): boolean =>
  style === "literal" || style === "folded" || (style === "plain" && value.includes("\n"));

/** The lines of a node, as they stand where nothing is indented. */
function blockLines(node: YamlNode): string[] {
  if (node.kind === "scalar") return literalLines(node.value);
  if (node.kind === "sequence") {
    return node.content.flatMap((item) => {
      if (isInline(item)) return [`- ${inline(item)}`];
      const [first = "", ...rest] = blockLines(item);
      return [`- ${first}`, ...rest.map(indented)];
    });
  }
  return membersOf(node).flatMap(([key, value]) => memberLines(inline(key), value));
}

function memberLines(key: string, value: YamlNode): string[] {
  if (isInline(value)) return [`${key}: ${inline(value)}`.trimEnd()];
  const lines = blockLines(value);
  if (value.kind === "scalar") {
    const [first = "", ...rest] = lines;
    return [`${key}: ${first}`, ...rest];
  }
  return [`${key}:`, ...(value.kind === "sequence" ? lines : lines.map(indented))];
}

function literalLines(value: string): string[] {
  const hint = /^[ \n]/.test(value) ? "2" : "";
  const chomping = value.endsWith("\n\n") || value === "\n" ? "+" : value.endsWith("\n") ? "" : "-";
  const text = value.endsWith("\n") ? value.slice(0, -1) : value;
  return [`|${hint}${chomping}`, ...text.split("\n").map(indented)];
}

const indented = (line: string): string => (line === "" ? "" : `  ${line}`);

function inline(node: YamlNode): string {
  if (node.kind === "sequence") return `[${node.content.map(inline).join(", ")}]`;
  if (node.kind === "mapping") {
    return `{${membersOf(node)
      .map(([key, value]) => `${inline(key)}: ${inline(value)}`)
      .join(", ")}}`;
  }
  return scalarText(node);
}

function scalarText(node: YamlNode): string {
  const { tag, value, style } = node;
  const prefix = needsTag(node) ? `${tag} ` : "";
  if (style === "double") return prefix + JSON.stringify(value);
  if (style === "single") return prefix + singleQuoted(value);
  if (tag === tags.string && resolvedTag(value) !== tags.string) return JSON.stringify(value);
  const best = scalarStyle(value);
  if (tag === "" || tag !== tags.string || best === "plain") {
    return prefix + (canBePlain(value) ? value : singleQuoted(value));
  }
  // Words of YAML 1.1 need no quotes here.
  if (best === "double" && canBePlain(value)) return value;
  return best === "double" ? JSON.stringify(value) : singleQuoted(value);
}

const singleQuoted = (value: string): string => `'${value.replaceAll("'", "''")}'`;

const canBePlain = (value: string): boolean =>
  !/^[#,[\]{}&*!|>'"%@`]|^[?:-](?:\s|$)|^---|^\.\.\.|:(?:\s|$)|\s#|^\s|\s$/.test(value);

function needsTag({ tag, tagged, value, style }: YamlNode): boolean {
  if (tagged) return true;
  if (tag === "" || tag === tags.string) return false;
  return resolvedTag(value) !== tag || style === "single" || style === "double";
}
