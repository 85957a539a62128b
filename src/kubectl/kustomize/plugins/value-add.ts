import { basename, join } from "node:path/posix";
import { yamlToJson } from "../../../schema/yaml/yaml.ts";
import {
  decodeLeniently,
  field,
  integer,
  list,
  optional,
  struct,
  text,
} from "../config/decoder.ts";
import { selectorDecoder } from "../config/kustomization.ts";
import { splitPath } from "../filters/apply-field-spec.ts";
import { setNamespace } from "../filters/namespace.ts";
import { KustomizeError } from "../kustomize-error.ts";
import { expectKind, lookup, setScalar } from "../nodes/lookup.ts";
import { scalarNode, type YamlNode } from "../nodes/yaml-node.ts";
import { selectResources } from "../resources/selector.ts";
import type { PluginContext, Transformer } from "./plugin.ts";

const targets = field(
  list(
    struct("Target", {
      selector: field(optional(selectorDecoder)),
      fieldPath: field(text()),
      filePathPosition: field(integer()),
    }),
  ),
);
const valueAddDecoder = struct("ValueAddTransformerPlugin", {
  value: field(text()),
  targets,
  targetFilePath: field(text()),
});
const targetsDecoder = struct("", { targets });

/** Adds a value, the name of the directory by default, to fields of the selected objects. */
export async function valueAddTransformer(
  config: unknown,
  { loader }: PluginContext,
): Promise<Transformer> {
  const decoded = decodeLeniently(valueAddDecoder, config);
  const value = decoded.value.trim() || basename(loader.root);
  const all = [...decoded.targets];
  if (decoded.targetFilePath !== "") {
    const content = await loader.loadText(decoded.targetFilePath);
    all.push(...decodeLeniently(targetsDecoder, yamlToJson(content)).targets);
  }
  if (all.length === 0) throw new KustomizeError("must specify at least one target");
  for (const { fieldPath, filePathPosition } of all) {
    if (fieldPath === "") throw new KustomizeError("fieldPath cannot be empty");
    if (filePathPosition < 0) {
      throw new KustomizeError(
        `value of FilePathPosition (${filePathPosition}) cannot be negative`,
      );
    }
  }
  return {
    transform: (map) => {
      for (const { selector, fieldPath, filePathPosition } of all) {
        const selected = selector === undefined ? map.resources : selectResources(map, selector);
        for (const { node } of selected) {
          if (node !== undefined) addValue(node, value, { fieldPath, filePathPosition });
        }
      }
    },
  };
}

function addValue(
  node: YamlNode,
  value: string,
  { fieldPath, filePathPosition }: { fieldPath: string; filePathPosition: number },
): void {
  if (fieldPath === "metadata/namespace") {
    setNamespace(node, {
      namespace: value,
      fieldSpecs: [],
      unsetOnly: false,
      subjects: "defaultOnly",
    });
    return;
  }
  const found = lookup(node, splitPath(fieldPath, "/"), "scalar");
  if (found === undefined) return;
  expectKind(found, "scalar");
  const text = filePathPosition > 0 ? insertPart(found.value, filePathPosition - 1, value) : value;
  setScalar(found, scalarNode(text));
}

/** A path with another part at a position; a leading slash counts as none. */
function insertPart(path: string, position: number, part: string): string {
  const absolute = path.startsWith("/");
  const parts = path.split("/").filter((entry) => entry !== "");
  parts.splice(Math.min(position, parts.length), 0, part);
  return absolute ? `/${join(...parts)}` : join(...parts);
}
