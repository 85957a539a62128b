import type { GeneratorArguments, GeneratorOptions } from "../config/kustomization.ts";
import { KustomizeError } from "../kustomize-error.ts";
import { setField } from "../nodes/lookup.ts";
import { mappingNode, scalarNode, stringNode, tags, YamlNode } from "../nodes/yaml-node.ts";
import { buildAnnotation } from "../resources/build-annotations.ts";
import { setTexts, wrappedBase64 } from "../resources/merge-data.ts";
import { setMetadataEntry } from "../resources/metadata.ts";
import { ResMap } from "../resources/res-map.ts";
import { Resource } from "../resources/resource.ts";
import { loadPairs } from "./load-pairs.ts";
import type { Generator, PluginContext } from "./plugin.ts";

/** Makes a config map or a secret of literals, files and files of variables. */
export function dataGenerator(
  kind: "ConfigMap" | "Secret",
  args: GeneratorArguments,
  { loader }: PluginContext,
): Generator {
  return {
    generate: async () => {
      if (args.name === "") throw new KustomizeError("a configmap must have a name");
      const node = baseNode(kind, args);
      const data = await loadPairs(args, loader);
      if (kind === "Secret") setSecretData(node, data);
      else setConfigMapData(node, data);
      if (args.options !== undefined) applyOptions(node, args.options);
      const resource = new Resource(node);
      if (args.options?.disableNameSuffixHash !== true) resource.enable(buildAnnotation.needsHash);
      const behavior = behaviors.has(args.behavior) ? args.behavior : "unspecified";
      resource.setAnnotations(resource.annotations.set(buildAnnotation.behavior, behavior));
      return new ResMap([resource]);
    },
  };
}

const behaviors: ReadonlySet<string> = new Set(["create", "merge", "replace"]);

function baseNode(kind: string, { name, namespace, type }: GeneratorArguments): YamlNode {
  const node = mappingNode();
  setField(node, "apiVersion", scalarNode("v1"));
  setField(node, "kind", scalarNode(kind));
  const metadata = mappingNode();
  setField(metadata, "name", stringNode(name));
  if (namespace !== "") setField(metadata, "namespace", stringNode(namespace));
  setField(node, "metadata", metadata);
  if (kind === "Secret") setField(node, "type", stringNode(type || "Opaque"));
  return node;
}

function setConfigMapData(node: YamlNode, data: ReadonlyMap<string, Uint8Array>): void {
  const texts = new Map<string, string>();
  const binary = new Map<string, string>();
  for (const [name, bytes] of data) {
    const text = utf8Text(bytes);
    if (text === undefined) binary.set(name, wrappedBase64(bytes));
    else texts.set(name, text);
  }
  if (texts.size > 0) setTexts(node, "data", texts);
  if (binary.size > 0) setTexts(node, "binaryData", binary);
}

function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function setSecretData(node: YamlNode, data: ReadonlyMap<string, Uint8Array>): void {
  setTexts(node, "data", new Map([...data].map(([name, bytes]) => [name, wrappedBase64(bytes)])));
}

function applyOptions(node: YamlNode, { labels, annotations, immutable }: GeneratorOptions): void {
  for (const entry of [...labels].toSorted(byName)) setMetadataEntry(node, "labels", entry);
  for (const entry of [...annotations].toSorted(byName)) {
    setMetadataEntry(node, "annotations", entry);
  }
  if (immutable) {
    setField(node, "immutable", new YamlNode({ kind: "scalar", tag: tags.bool, value: "true" }));
  }
}

const byName = ([a]: readonly [string, string], [b]: readonly [string, string]): number =>
  a < b ? -1 : 1;

/** The options of one generator, with those of all generators where it has none of its own. */
export function mergeOptions(
  own: GeneratorOptions | undefined,
  global: GeneratorOptions | undefined,
): GeneratorOptions | undefined {
  if (global === undefined) return own;
  return {
    labels: new Map([...global.labels, ...(own?.labels ?? [])]),
    annotations: new Map([...global.annotations, ...(own?.annotations ?? [])]),
    disableNameSuffixHash: global.disableNameSuffixHash || own?.disableNameSuffixHash === true,
    immutable: global.immutable || own?.immutable === true,
  };
}
