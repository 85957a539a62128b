import { inContext } from "../kustomize-error.ts";
import { compareGvk, sameGvk } from "../resources/gvk.ts";
import { type FieldSpec, mergeFieldSpecs, sortFieldSpecs } from "./field-spec.ts";
import type { NameReference } from "./name-references.ts";

const specLists = [
  "namePrefix",
  "nameSuffix",
  "namespace",
  "commonAnnotations",
  "commonLabels",
  "labels",
  "templateLabels",
  "varReference",
  "images",
  "replicas",
] as const;
type SpecList = (typeof specLists)[number];

/** Which fields each transformation changes. */
export interface TransformerConfig extends Readonly<Record<SpecList, readonly FieldSpec[]>> {
  readonly nameReference: readonly NameReference[];
}

/** A configuration that names no field. */
export const emptyConfig: TransformerConfig = {
  namePrefix: [],
  nameSuffix: [],
  namespace: [],
  commonAnnotations: [],
  commonLabels: [],
  labels: [],
  templateLabels: [],
  nameReference: [],
  varReference: [],
  images: [],
  replicas: [],
};

/** Adds one configuration to another. */
export function mergeConfigs(
  config: TransformerConfig,
  added: TransformerConfig,
): TransformerConfig {
  const lists = specLists.map((name): [SpecList, readonly FieldSpec[]] => {
    const prefix = `failed to merge ${listTitles[name]} fieldSpec`;
    const merged = inContext(prefix, () => mergeFieldSpecs(config[name], added[name]));
    return [name, sortFieldSpecs(merged)];
  });
  const references = inContext("failed to merge NameReference fieldSpec", () =>
    added.nameReference.reduce(mergeReference, config.nameReference),
  );
  return {
    ...(Object.fromEntries(lists) as Record<SpecList, readonly FieldSpec[]>),
    nameReference: sortNameReferences(references),
  };
}

const listTitles: Readonly<Record<SpecList, string>> = {
  namePrefix: "NamePrefix",
  nameSuffix: "NameSuffix",
  namespace: "NameSpace",
  commonAnnotations: "CommonAnnotations",
  commonLabels: "CommonLabels",
  labels: "Labels",
  templateLabels: "TemplateLabels",
  varReference: "VarReference",
  images: "Images",
  replicas: "Replicas",
};

function mergeReference(
  references: readonly NameReference[],
  added: NameReference,
): readonly NameReference[] {
  if (!references.some((reference) => sameGvk(reference, added))) return [...references, added];
  return references.map((reference) =>
    sameGvk(reference, added)
      ? { ...reference, fieldSpecs: mergeFieldSpecs(reference.fieldSpecs, added.fieldSpecs) }
      : reference,
  );
}

/** Name references in the order of the kinds that are referred to. */
export const sortNameReferences = (
  references: readonly NameReference[],
): readonly NameReference[] => references.toSorted((a, b) => compareGvk(a, b));
