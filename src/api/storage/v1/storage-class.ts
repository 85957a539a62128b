import { bool, list, named, string, stringMap, strings } from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { sameValue } from "../../../schema/language/validate.ts";
import { nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import { deprecatedNodeLabel } from "../../core/v1/node/node-label-warnings.ts";
import {
  TopologySelectorTerm,
  type TopologyValues,
  validateTopologySelectorTerm,
} from "../../core/v1/scheduling/topology-selector.ts";
import { ageColumn, nameColumn } from "../../meta/v1/columns.ts";
import { kind, type ObjectOf, type ObjectValue } from "../../meta/v1/kind.ts";
import type { ObjectMeta } from "../../meta/v1/object-meta.ts";
import { validateParameters, validateProvisioner } from "./provisioner.ts";

const fields = {
  provisioner: string(2).always().expected().doc("Who makes volumes of the class. Never changes."),
  parameters: stringMap(3).doc("What the provisioner is told. Never changes."),
  reclaimPolicy: named(4, "v1.PersistentVolumeReclaimPolicy")
    .pointer()
    .known("Recycle", "Delete", "Retain")
    .default("Delete")
    .doc("What becomes of a volume when its claim is gone. Never changes."),
  mountOptions: strings(5).atomic().doc("Options that volumes are mounted with, such as ro."),
  allowVolumeExpansion: bool(6).pointer().doc("Whether claims may ask for more later."),
  volumeBindingMode: named(7, "v1.VolumeBindingMode")
    .pointer()
    .known("Immediate", "WaitForFirstConsumer")
    .default("Immediate")
    .doc("Whether volumes are made at once, or when the first pod needs them. Never changes."),
  allowedTopologies: list(8, TopologySelectorTerm)
    .atomic()
    .doc("Where volumes may be made; anywhere if not given."),
};
type Body = ObjectValue<typeof fields>;

export const StorageClass = kind({
  group: "storage.k8s.io",
  version: "v1",
  kind: "StorageClass",
  plural: "storageclasses",
  shortNames: ["sc"],
  scope: "Cluster",
  doc: "How volumes of one sort are made.",
  name: nameIsDnsSubdomain,
  fields,
  rules: [validateStorageClass],
  firstUpdateRules: (_class, _old, { create }) => create(),
  updateRules(storageClass, old, { at }) {
    // No parameters and an empty map of them are the same.
    for (const field of unchanging)
      if (!sameValue(storageClass[field] ?? {}, old[field] ?? {}))
        at.invalid(field, storageClass[field], "field is immutable");
  },
  strategy: { deleteReturnsObject: true, warnings: topologyWarnings },
  columns: [
    {
      ...nameColumn,
      cell: ({ metadata }) => `${metadata.name ?? ""}${isDefault(metadata) ? " (default)" : ""}`,
    },
    {
      name: "Provisioner",
      type: "string",
      description: "provisioner indicates the type of the provisioner.",
      cell: ({ provisioner }) => provisioner,
    },
    {
      name: "ReclaimPolicy",
      type: "string",
      description:
        "reclaimPolicy controls the reclaimPolicy for dynamically provisioned PersistentVolumes of this storage class. Defaults to Delete.",
      cell: ({ reclaimPolicy }) => reclaimPolicy,
    },
    {
      name: "VolumeBindingMode",
      type: "string",
      description:
        "volumeBindingMode indicates how PersistentVolumeClaims should be provisioned and bound.  When unset, VolumeBindingImmediate is used. This field is only honored by servers that enable the VolumeScheduling feature.",
      cell: ({ volumeBindingMode }) => volumeBindingMode,
    },
    {
      name: "AllowVolumeExpansion",
      type: "string",
      description: "allowVolumeExpansion shows whether the storage class allow volume expand.",
      cell: ({ allowVolumeExpansion }) => allowVolumeExpansion ?? false,
    },
    ageColumn,
  ],
});
export interface StorageClass extends ObjectOf<typeof StorageClass> {}

const unchanging = ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"] as const;
const reclaimPolicies = ["Delete", "Retain"];
const bindingModes = ["Immediate", "WaitForFirstConsumer"];

function validateStorageClass(storageClass: Body, at: At): void {
  const { provisioner, parameters, reclaimPolicy, volumeBindingMode } = storageClass;
  validateProvisioner(provisioner, at.child("provisioner"));
  validateParameters(parameters, at.child("parameters"));
  if (reclaimPolicy && !reclaimPolicies.includes(reclaimPolicy))
    at.notSupported("reclaimPolicy", reclaimPolicy, reclaimPolicies);
  if (!bindingModes.includes(volumeBindingMode))
    at.notSupported("volumeBindingMode", volumeBindingMode, bindingModes);
  validateAllowedTopologies(storageClass.allowedTopologies ?? [], at.child("allowedTopologies"));
}

function validateAllowedTopologies(terms: readonly TopologySelectorTerm[], at: At): void {
  // Upstream compares each term with as many empty ones as there are terms, too.
  const seen: TopologyValues[] = terms.map(() => new Map());
  for (const [i, term] of terms.entries()) {
    const asked = validateTopologySelectorTerm(term, at.index(i));
    for (const other of seen)
      if (sameTopology(asked, other)) at.index(i).duplicate("matchLabelExpressions", "");
    seen.push(asked);
  }
}

const sameTopology = (a: TopologyValues, b: TopologyValues): boolean =>
  a.size === b.size &&
  [...a].every(([key, values]) => {
    const others = b.get(key);
    return others?.size === values.size && [...values].every((value) => others.has(value));
  });

const defaultAnnotations = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

const isDefault = ({ annotations }: ObjectMeta): boolean =>
  defaultAnnotations.some((name) => annotations?.[name] === "true");

function topologyWarnings({ allowedTopologies = [] }: Body): readonly string[] {
  return allowedTopologies.flatMap(({ matchLabelExpressions = [] }, i) =>
    matchLabelExpressions.flatMap(({ key }, j) => {
      const message = deprecatedNodeLabel(key);
      const path = `allowedTopologies[${i}].matchLabelExpressions[${j}].key`;
      return message === undefined ? [] : [`${path}: ${message}`];
    }),
  );
}
