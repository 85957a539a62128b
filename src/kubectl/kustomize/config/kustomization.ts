import { isMap } from "../../../schema/json/json-value.ts";
import { yamlToJson } from "../../../schema/yaml/yaml.ts";
import { inContext, KustomizeError } from "../kustomize-error.ts";
import { yamlFailure } from "../nodes/yaml-message.ts";
import {
  anything,
  type Decoder,
  decodeStrictly,
  embedded,
  field,
  flag,
  integer,
  list,
  mapOf,
  optional,
  struct,
  text,
} from "./decoder.ts";

const gvkFields = { group: field(text()), version: field(text()), kind: field(text()) };
const idFields = {
  ...embedded("Gvk", gvkFields),
  name: field(text()),
  namespace: field(text()),
};

export const fieldSpecDecoder = struct("FieldSpec", {
  ...embedded("Gvk", gvkFields),
  path: field(text()),
  create: field(flag),
});

export const selectorDecoder = struct("Selector", {
  ...embedded("ResId", idFields),
  annotationSelector: field(text()),
  labelSelector: field(text()),
});

const generatorOptions = struct("GeneratorOptions", {
  labels: field(mapOf(text())),
  annotations: field(mapOf(text())),
  disableNameSuffixHash: field(flag),
  immutable: field(flag),
});

const generatorFields = {
  namespace: field(text()),
  name: field(text()),
  behavior: field(text()),
  ...embedded("KvPairSources", {
    literals: field(list(text())),
    files: field(list(text())),
    envs: field(list(text())),
    env: field(text()),
  }),
  options: field(optional(generatorOptions)),
};

export const metadataDecoder = struct("ObjectMeta", {
  name: field(text()),
  namespace: field(text()),
  labels: field(mapOf(text())),
  annotations: field(mapOf(text())),
});

/** The arguments of both generators; only those of secrets have a type. */
export const configMapDecoder = struct("ConfigMapArgs", {
  ...embedded("GeneratorArgs", generatorFields),
  metadata: field(metadataDecoder),
});
export const secretDecoder = struct("SecretArgs", {
  ...embedded("GeneratorArgs", generatorFields),
  type: field(text()),
  metadata: field(metadataDecoder),
});

export const patchDecoder = struct("Patch", {
  path: field(text()),
  patch: field(text()),
  target: field(optional(selectorDecoder)),
  options: field(
    optional(struct("PatchArgs", { allowNameChange: field(flag), allowKindChange: field(flag) })),
  ),
});

const fieldOptions = struct("FieldOptions", {
  delimiter: field(text()),
  index: field(integer()),
  encoding: field(text()),
  create: field(flag),
});

const replacementFields = {
  source: field(
    optional(
      struct("SourceSelector", {
        ...embedded("ResId", idFields),
        fieldPath: field(text()),
        options: field(optional(fieldOptions)),
      }),
    ),
  ),
  targets: field(
    optional(
      list(
        struct("TargetSelector", {
          select: field(optional(selectorDecoder)),
          reject: field(list(selectorDecoder)),
          fieldPaths: field(list(text())),
          options: field(optional(fieldOptions)),
        }),
      ),
    ),
  ),
  sourceValue: field(optional(text())),
};
export const replacementDecoder = struct("Replacement", replacementFields);
export const replacementFieldDecoder = struct("ReplacementField", {
  ...embedded("Replacement", replacementFields),
  path: field(text()),
});

export const imageDecoder = struct("Image", {
  name: field(text()),
  newName: field(text()),
  tagSuffix: field(text()),
  newTag: field(text()),
  digest: field(text()),
});

export const replicaDecoder = struct("Replica", {
  name: field(text()),
  count: field(integer("int64")),
});

const labelDecoder = struct("Label", {
  pairs: field(mapOf(text())),
  includeSelectors: field(flag),
  includeTemplates: field(flag),
  fields: field(list(fieldSpecDecoder)),
});

const variableDecoder = struct("Var", {
  name: field(text()),
  objref: field(
    struct("Target", {
      apiVersion: field(text()),
      ...embedded("Gvk", gvkFields),
      name: field(text()),
      namespace: field(text()),
    }),
  ),
  fieldref: field(struct("FieldSelector", { fieldPath: field(text()) })),
});

const sortOptions = struct("SortOptions", {
  order: field(text("types.SortOrder")),
  legacySortOptions: field(
    optional(
      struct("LegacySortOptions", {
        orderFirst: field(list(text())),
        orderLast: field(list(text())),
      }),
    ),
  ),
});

const helmChart = struct("HelmChart", {
  name: field(text()),
  version: field(text()),
  repo: field(text()),
  releaseName: field(text()),
  namespace: field(text()),
  additionalValuesFiles: field(list(text())),
  valuesFile: field(text()),
  valuesInline: field(mapOf(anything)),
  valuesMerge: field(text()),
  includeCRDs: field(flag),
  skipHooks: field(flag),
  apiVersions: field(list(text())),
  kubeVersion: field(text()),
  nameTemplate: field(text()),
  skipTests: field(flag),
  debug: field(flag),
  devel: field(flag),
});

const kustomizationDecoder = struct("Kustomization", {
  ...embedded("TypeMeta", { kind: field(text()), apiVersion: field(text()) }),
  metadata: field(optional(metadataDecoder)),
  openapi: field(mapOf(text())),
  namePrefix: field(text()),
  nameSuffix: field(text()),
  namespace: field(text()),
  commonLabels: field(mapOf(text())),
  labels: field(list(labelDecoder)),
  commonAnnotations: field(mapOf(text())),
  patchesStrategicMerge: field(list(text("types.PatchStrategicMerge"))),
  patchesJson6902: field(list(patchDecoder)),
  patches: field(list(patchDecoder)),
  images: field(list(imageDecoder)),
  imageTags: field(list(imageDecoder)),
  replacements: field(list(replacementFieldDecoder)),
  replicas: field(list(replicaDecoder)),
  vars: field(list(variableDecoder)),
  sortOptions: field(optional(sortOptions)),
  resources: field(list(text())),
  components: field(list(text())),
  crds: field(list(text())),
  bases: field(list(text())),
  configMapGenerator: field(
    list(struct("ConfigMapArgs", { ...embedded("GeneratorArgs", generatorFields) })),
  ),
  secretGenerator: field(
    list(
      struct("SecretArgs", {
        ...embedded("GeneratorArgs", generatorFields),
        type: field(text()),
      }),
    ),
  ),
  helmGlobals: field(
    optional(struct("HelmGlobals", { chartHome: field(text()), configHome: field(text()) })),
  ),
  helmCharts: field(list(helmChart)),
  helmChartInflationGenerator: field(list(anything)),
  generatorOptions: field(optional(generatorOptions)),
  configurations: field(list(text())),
  generators: field(list(text())),
  transformers: field(list(text())),
  validators: field(list(text())),
  buildMetadata: field(list(text())),
});

type ValueOf<D> = D extends Decoder<infer T> ? T : never;

/** What a kustomization.yaml says. */
export type Kustomization = ValueOf<typeof kustomizationDecoder>;
export type GeneratorArguments = Kustomization["secretGenerator"][number];
export type GeneratorOptions = ValueOf<typeof generatorOptions>;
export type Variable = ValueOf<typeof variableDecoder>;
export type PatchArguments = ValueOf<typeof patchDecoder>;

/** A kustomization with the warnings that it deserves. */
export interface ReadKustomization {
  readonly kustomization: Kustomization;
  readonly warnings: readonly string[];
}

/** Reads a kustomization; throws where a field is unknown or of another type. */
export function readKustomization(content: string): ReadKustomization {
  return inContext("invalid Kustomization", () => {
    const value = parse(content);
    const kustomization = decodeStrictly(kustomizationDecoder, value);
    const given = isMap(value) ? Object.entries(value) : [];
    const names = new Set(given.filter(([, member]) => member !== null).map(([name]) => name));
    const warnings = deprecations.filter(([name]) => names.has(name)).map(([, text]) => text);
    return { kustomization: completed(kustomization), warnings };
  });
}

function parse(content: string): unknown {
  try {
    return yamlToJson(content, { lenient: true });
  } catch (cause) {
    throw yamlFailure(content, cause, 2);
  }
}

const deprecated = (name: string, use: string, experimental = ""): [string, string] => [
  name,
  `# Warning: '${name}' is deprecated. Please use '${use}' instead. ${experimental}Run 'kustomize edit fix' to update your Kustomization automatically.`,
];

const deprecations = [
  deprecated("bases", "resources"),
  deprecated("commonLabels", "labels"),
  deprecated("imageTags", "images"),
  deprecated("patchesJson6902", "patches"),
  deprecated("patchesStrategicMerge", "patches"),
  deprecated("vars", "replacements", "[EXPERIMENTAL] "),
];

/** Fills in what is left out, and moves what has another name today. */
function completed(read: Kustomization): Kustomization {
  const kind = read.kind || "Kustomization";
  const generators = <T extends { env: string; envs: readonly string[] }>(list: readonly T[]) =>
    list.map((args) =>
      args.env === "" ? args : { ...args, envs: [...args.envs, args.env], env: "" },
    );
  return {
    ...read,
    kind,
    apiVersion: read.apiVersion || versionOf(kind),
    resources: [...read.resources, ...read.bases],
    bases: [],
    images: [...read.images, ...read.imageTags],
    imageTags: [],
    configMapGenerator: generators(read.configMapGenerator),
    secretGenerator: generators(read.secretGenerator),
  };
}

const versionOf = (kind: string): string =>
  kind === "Component" ? "kustomize.config.k8s.io/v1alpha1" : "kustomize.config.k8s.io/v1beta1";

/** Throws where a kustomization says nothing, or is of another kind or version. */
export function checkKustomization(kustomization: Kustomization, root: string): void {
  const { kind, apiVersion, ...rest } = kustomization;
  if (Object.values(rest).every(isUnset)) throw new KustomizeError("kustomization.yaml is empty");
  const problems: string[] = [];
  if (kind !== "Kustomization" && kind !== "Component") {
    problems.push("kind should be Kustomization or Component");
  }
  if (apiVersion !== versionOf(kind)) {
    problems.push(`apiVersion for ${kind} should be ${versionOf(kind)}`);
  }
  if (problems.length > 0) {
    const list = problems.join("\n");
    throw new KustomizeError(`Failed to read kustomization file under ${root}:\n${list}`);
  }
}

const isUnset = (value: unknown): boolean =>
  value === undefined ||
  value === "" ||
  (Array.isArray(value) && value.length === 0) ||
  (value instanceof Map && value.size === 0);
