import {
  type Decoder,
  decodeLeniently,
  field,
  flag,
  list,
  mapOf,
  optional,
  struct,
  text,
} from "../config/decoder.ts";
import {
  configMapDecoder,
  fieldSpecDecoder,
  imageDecoder,
  metadataDecoder,
  patchDecoder,
  replacementFieldDecoder,
  replicaDecoder,
  secretDecoder,
  selectorDecoder,
} from "../config/kustomization.ts";
import { subjectMode } from "../filters/namespace.ts";
import { KustomizeError } from "../kustomize-error.ts";
import { addHashes } from "../resources/hash.ts";
import { dataGenerator } from "./data-generators.ts";
import {
  affixTransformer,
  imageTransformer,
  mapTransformer,
  namespaceTransformer,
  replicaTransformer,
} from "./field-transformers.ts";
import { helmChartGenerator } from "./helm-chart.ts";
import { iamPolicyGenerator } from "./iam-policy.ts";
import { jsonPatchTransformer, strategicPatches } from "./old-patches.ts";
import { patchTransformer } from "./patch-transformer.ts";
import type { Generator, PluginContext, Transformer } from "./plugin.ts";
import { replacementTransformer } from "./replacement-transformer.ts";
import { valueAddTransformer } from "./value-add.ts";

type Make<T> = (config: unknown, context: PluginContext) => T | Promise<T>;

const specs = field(list(fieldSpecDecoder));

/** A plugin whose configuration is a structure. */
const of =
  <C, T>(
    decoder: Decoder<C>,
    make: (config: C, context: PluginContext) => T | Promise<T>,
  ): Make<T> =>
  (config, context) =>
    make(decodeLeniently(decoder, config), context);

const labels = struct("LabelTransformerPlugin", {
  labels: field(mapOf(text())),
  fieldSpecs: specs,
});
const annotations = struct("AnnotationsTransformerPlugin", {
  annotations: field(mapOf(text())),
  fieldSpecs: specs,
});
const affixes = struct("PrefixTransformerPlugin", {
  prefix: field(text()),
  suffix: field(text()),
  fieldSpecs: field(optional(list(fieldSpecDecoder))),
});
const namespaces = struct("NamespaceTransformerPlugin", {
  metadata: field(metadataDecoder),
  fieldSpecs: specs,
  unsetOnly: field(flag),
  setRoleBindingSubjects: field(text()),
});
const images = struct("ImageTagTransformerPlugin", {
  imageTag: field(imageDecoder),
  fieldSpecs: specs,
});
const replicas = struct("ReplicaCountTransformerPlugin", {
  replica: field(replicaDecoder),
  fieldSpecs: specs,
});
const replacements = struct("ReplacementTransformerPlugin", {
  replacements: field(list(replacementFieldDecoder)),
});
const oldPatches = struct("PatchStrategicMergeTransformerPlugin", {
  paths: field(list(text())),
  patches: field(text()),
});
const jsonPatches = struct("PatchJson6902TransformerPlugin", {
  target: field(optional(selectorDecoder)),
  path: field(text()),
  jsonOp: field(text()),
});

const affix = (where: "prefix" | "suffix"): Make<Transformer> =>
  of(affixes, (config) => {
    if (config.fieldSpecs === undefined) {
      throw new KustomizeError("fieldSpecs is not expected to be nil");
    }
    return affixTransformer(where, config[where], config.fieldSpecs);
  });

const transformers: Readonly<Record<string, Make<Transformer>>> = {
  AnnotationsTransformer: of(annotations, (c) => mapTransformer(c.annotations, c.fieldSpecs)),
  HashTransformer: () => ({ transform: addHashes }),
  ImageTagTransformer: of(images, (c) => imageTransformer(c.imageTag, c.fieldSpecs)),
  LabelTransformer: of(labels, (c) => mapTransformer(c.labels, c.fieldSpecs)),
  NamespaceTransformer: of(namespaces, (c) =>
    namespaceTransformer({
      namespace: c.metadata.namespace,
      fieldSpecs: c.fieldSpecs,
      unsetOnly: c.unsetOnly,
      subjects: subjectMode(c.setRoleBindingSubjects),
    }),
  ),
  PatchJson6902Transformer: of(jsonPatches, ({ target, path, jsonOp }, context) =>
    jsonPatchTransformer({ target, path, patch: jsonOp, options: undefined }, context),
  ),
  PatchStrategicMergeTransformer: of(oldPatches, strategicPatches),
  PatchTransformer: of(patchDecoder, patchTransformer),
  PrefixSuffixTransformer: async (config, context) => {
    const both = [await affix("prefix")(config, context), await affix("suffix")(config, context)];
    return {
      transform: (map) => {
        for (const transformer of both) transformer.transform(map);
      },
    };
  },
  PrefixTransformer: affix("prefix"),
  SuffixTransformer: affix("suffix"),
  ReplacementTransformer: of(replacements, (c, context) =>
    replacementTransformer(c.replacements, context),
  ),
  ReplicaCountTransformer: of(replicas, (c) => replicaTransformer(c.replica, c.fieldSpecs)),
  ValueAddTransformer: valueAddTransformer,
};

interface Named {
  readonly name: string;
  readonly namespace: string;
  readonly metadata: { readonly name: string; readonly namespace: string };
}

/** The name and the namespace of a generated object, by default those of the generator. */
const named = ({ name, namespace, metadata }: Named) => ({
  name: name || metadata.name,
  namespace: namespace || metadata.namespace,
});

const generators: Readonly<Record<string, Make<Generator>>> = {
  ConfigMapGenerator: of(configMapDecoder, (c, context) =>
    dataGenerator("ConfigMap", { ...c, ...named(c), type: "" }, context),
  ),
  SecretGenerator: of(secretDecoder, (c, context) =>
    dataGenerator("Secret", { ...c, ...named(c) }, context),
  ),
  IAMPolicyGenerator: iamPolicyGenerator,
  HelmChartInflationGenerator: helmChartGenerator,
};

const builtIn = <T>(table: Readonly<Record<string, Make<T>>>, kind: string): Make<T> | undefined =>
  Object.hasOwn(table, kind) ? table[kind] : undefined;

/** The maker of a built-in transformer; undefined where there is none of that kind. */
export const builtInTransformer = (kind: string): Make<Transformer> | undefined =>
  builtIn(transformers, kind);

/** The maker of a built-in generator; undefined where there is none of that kind. */
export const builtInGenerator = (kind: string): Make<Generator> | undefined =>
  builtIn(generators, kind);
