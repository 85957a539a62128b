import { join } from "node:path/posix";
import { toYaml } from "../../../schema/yaml/yaml.ts";
import { withoutZeros } from "../config/decoder.ts";
import { type FieldSpec, fieldSpec, mergeFieldSpecs } from "../config/field-spec.ts";
import type { Kustomization } from "../config/kustomization.ts";
import type { TransformerConfig } from "../config/transformer-config.ts";
import { inContext, prefixed } from "../kustomize-error.ts";
import { dataGenerator, mergeOptions } from "../plugins/data-generators.ts";
import {
  affixTransformer,
  imageTransformer,
  mapTransformer,
  namespaceTransformer,
  replicaTransformer,
} from "../plugins/field-transformers.ts";
import { helmChartGenerator } from "../plugins/helm-chart.ts";
import { jsonPatchTransformer, strategicPatches } from "../plugins/old-patches.ts";
import { patchTransformer } from "../plugins/patch-transformer.ts";
import type { Configured, Generator, PluginContext, Transformer } from "../plugins/plugin.ts";
import { replacementTransformer } from "../plugins/replacement-transformer.ts";
import type { Origin } from "../resources/origin.ts";

/** A kustomization with where it is. */
export interface StepContext extends PluginContext {
  readonly kustomization: Kustomization;
  readonly fileName: string;
  /** Where the kustomization comes from, if that is to be told. */
  readonly origin: Origin | undefined;
  /** The namespace of the kustomizations above. */
  readonly namespace: string;
}

/** The generators that the fields of a kustomization ask for, in upstream's order. */
export function builtInGenerators(context: StepContext): Configured<Generator>[] {
  const { kustomization: own } = context;
  const options = own.generatorOptions;
  const make = (kind: "ConfigMap" | "Secret") => (args: (typeof own.secretGenerator)[number]) => ({
    plugin: dataGenerator(kind, { ...args, options: mergeOptions(args.options, options) }, context),
    origin: originOf(context, `${kind}Generator`),
  });
  const charts = [...own.helmCharts, ...own.helmChartInflationGenerator];
  return [
    ...charts.map((chart) => ({
      plugin: chartGenerator(chart, context),
      origin: originOf(context, "HelmChartInflationGenerator"),
    })),
    ...own.configMapGenerator.map((args) => make("ConfigMap")({ ...args, type: "" })),
    ...own.secretGenerator.map(make("Secret")),
  ];
}

function chartGenerator(chart: unknown, context: StepContext): Generator {
  const { kustomization, namespace } = context;
  const inherited = kustomization.namespace || namespace;
  const config = withoutZeros({
    ...kustomization.helmGlobals,
    ...(inherited === "" ? {} : { namespace: inherited }),
    ...(withoutZeros(chart) as object),
  });
  try {
    return helmChartGenerator(config, context);
  } catch (error) {
    throw troubleWith("HelmChartInflationGenerator", config, error);
  }
}

const troubleWith = (kind: string, config: unknown, cause: unknown): unknown =>
  prefixed(`trouble configuring builtin ${kind} with config: \`\n${toYaml(config)}\``, cause);

/** The transformers that the fields of a kustomization ask for, in upstream's order. */
export async function builtInTransformers(
  context: StepContext,
  config: TransformerConfig,
): Promise<Configured<Transformer>[]> {
  const { kustomization: own } = context;
  const result: Configured<Transformer>[] = [];
  const add = (kind: string, ...plugins: Transformer[]): void => {
    const origin = originOf(context, kind);
    result.push(...plugins.map((plugin) => ({ plugin, origin })));
  };
  const addConfigured = async (
    kind: string,
    shown: unknown,
    make: () => Promise<Transformer>,
  ): Promise<void> => {
    try {
      add(kind, await make());
    } catch (cause) {
      throw troubleWith(kind, withoutZeros(shown), cause);
    }
  };

  if (own.patchesStrategicMerge.length > 0) {
    const paths = own.patchesStrategicMerge;
    await addConfigured("PatchStrategicMergeTransformer", { paths }, () =>
      strategicPatches({ paths, patches: "" }, context),
    );
  }
  for (const patch of own.patches) {
    await addConfigured("PatchTransformer", patch, () => patchTransformer(patch, context));
  }
  if (own.namespace !== "") {
    const { namespace } = own;
    const fieldSpecs = config.namespace;
    const change = { namespace, fieldSpecs, unsetOnly: false, subjects: "defaultOnly" } as const;
    add("NamespaceTransformer", namespaceTransformer(change));
  }
  if (own.namePrefix !== "") {
    add("PrefixTransformer", affixTransformer("prefix", own.namePrefix, config.namePrefix));
  }
  if (own.nameSuffix !== "") {
    add("SuffixTransformer", affixTransformer("suffix", own.nameSuffix, config.nameSuffix));
  }
  add("LabelTransformer", ...labelTransformers(own, config));
  if (own.commonAnnotations.size > 0) {
    const { commonAnnotations } = config;
    add("AnnotationsTransformer", mapTransformer(own.commonAnnotations, commonAnnotations));
  }
  for (const { target, path, patch } of own.patchesJson6902) {
    const shown = { target, path, jsonOp: patch };
    await addConfigured("PatchJson6902Transformer", shown, () =>
      jsonPatchTransformer({ target, path, patch, options: undefined }, context),
    );
  }
  add(
    "ReplicaCountTransformer",
    ...own.replicas.map((r) => replicaTransformer(r, config.replicas)),
  );
  add("ImageTagTransformer", ...own.images.map((image) => imageTransformer(image, config.images)));
  if (own.replacements.length > 0) {
    await addConfigured("ReplacementTransformer", { Replacements: own.replacements }, () =>
      replacementTransformer(own.replacements, context),
    );
  }
  return result;
}

function labelTransformers(own: Kustomization, config: TransformerConfig): Transformer[] {
  if (own.labels.length === 0 && own.commonLabels.size === 0) return [];
  const transformers = own.labels.map(({ pairs, fields, includeSelectors, includeTemplates }) => {
    const specs = inContext("failed to merge labels", () => {
      const merged = mergeFieldSpecs(fields, config.labels);
      if (includeSelectors) return mergeFieldSpecs(merged, config.commonLabels);
      return mergeFieldSpecs(withTemplates(merged, includeTemplates, config), [ownLabels]);
    });
    return mapTransformer(pairs, specs);
  });
  return [...transformers, mapTransformer(own.commonLabels, config.commonLabels)];
}

function withTemplates(
  specs: readonly FieldSpec[],
  includeTemplates: boolean,
  config: TransformerConfig,
): readonly FieldSpec[] {
  if (!includeTemplates) return specs;
  return inContext("failed to merge template fieldSpec", () =>
    mergeFieldSpecs(specs, config.templateLabels),
  );
}

const ownLabels = fieldSpec("metadata/labels", { create: true });

function originOf({ origin, fileName }: StepContext, kind: string): Origin | undefined {
  if (origin === undefined) return undefined;
  const { repo, ref, path } = origin;
  return {
    ...(repo === undefined ? {} : { repo }),
    ...(ref === undefined ? {} : { ref }),
    configuredIn: join(path ?? "", fileName),
    configuredBy: { apiVersion: "builtin", kind },
  };
}
