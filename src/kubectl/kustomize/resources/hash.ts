import { createHash } from "node:crypto";
import { KustomizeError } from "../kustomize-error.ts";
import { goJsonText } from "../nodes/go-json-text.ts";
import { nodeValue } from "../nodes/node-value.ts";
import { member } from "../nodes/yaml-node.ts";
import { buildAnnotation } from "./build-annotations.ts";
import type { ResMap } from "./res-map.ts";
import type { Resource } from "./resource.ts";

/** Adds the hash of their contents to the names of generated objects. */
export function addHashes(map: ResMap): void {
  for (const resource of map.resources) {
    if (!resource.isEnabled(buildAnnotation.needsHash)) continue;
    const hash = contentHash(resource);
    resource.storePreviousId();
    resource.setName(`${resource.name}-${hash}`);
  }
}

/** The hash of a config map's or a secret's contents: letters that make no words. */
function contentHash(resource: Resource): string {
  const { kind } = resource;
  const field = (name: string): unknown => {
    const node = member(resource.node, name);
    if (node === undefined) return "";
    return node.kind === "scalar" ? node.value : nodeValue(node);
  };
  // Upstream looks for a field named `metadata/name`, so that the name is always empty.
  const content: Record<string, unknown> = { kind, name: "", data: field("data") };
  if (kind === "Secret") content.type = field("type");
  else if (kind !== "ConfigMap") {
    throw new KustomizeError(`no hash of a ${kind} can be made for its name`);
  }
  const more = kind === "Secret" ? "stringData" : "binaryData";
  const value = field(more);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) content[more] = value;
  const hex = createHash("sha256").update(goJsonText(content)).digest("hex").slice(0, 10);
  return hex.replace(/[013ae]/g, (digit) => replacements[digit] ?? digit);
}

const replacements: Readonly<Record<string, string>> = {
  "0": "g",
  "1": "h",
  "3": "k",
  a: "m",
  e: "t",
};
