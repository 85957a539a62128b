import type { JsonNode } from "../json/strict-json.ts";
import { quote } from "../values/quote.ts";

/** Members that a text has more than once, as strict decoding reports them: `duplicate field "a.b"`. */
export function repeatedMembers(node: JsonNode): string[] {
  const faults = new Faults();
  mindRepeats(node, "", faults);
  return faults.texts;
}

/** The same of a JSON patch, with members of operations that no operation has. */
export function jsonPatchFaults(node: JsonNode): string[] {
  const faults = new Faults();
  if (node.kind !== "array") return [];
  for (const [i, operation] of node.items.entries()) {
    if (operation.kind === "object") mindOperation(operation.members, `[${i}]`, faults);
  }
  return faults.texts.map((text) => `json patch ${text}`);
}

/** As many as Go keeps, each once. */
class Faults {
  readonly texts: string[] = [];

  add(text: string): void {
    if (this.texts.length < 100 && !this.texts.includes(text)) this.texts.push(text);
  }
}

const known: readonly string[] = ["op", "path", "from", "value"];

function mindOperation(members: JsonMembers, path: string, faults: Faults): void {
  const seen = new Set<string>();
  for (const { name, value } of members) {
    const at = `${path}.${name}`;
    if (!known.includes(name)) {
      faults.add(`unknown field ${quote(at)}`);
      continue;
    }
    if (seen.has(name)) faults.add(`duplicate field ${quote(at)}`);
    seen.add(name);
    mindRepeats(value, at, faults);
  }
}

type JsonMembers = readonly { readonly name: string; readonly value: JsonNode }[];

function mindRepeats(node: JsonNode, path: string, faults: Faults): void {
  if (node.kind === "array")
    for (const [i, item] of node.items.entries()) mindRepeats(item, `${path}[${i}]`, faults);
  if (node.kind !== "object") return;
  const seen = new Set<string>();
  for (const { name, value } of node.members) {
    const at = path === "" ? name : `${path}.${name}`;
    if (seen.has(name)) faults.add(`duplicate field ${quote(at)}`);
    seen.add(name);
    mindRepeats(value, at, faults);
  }
}
