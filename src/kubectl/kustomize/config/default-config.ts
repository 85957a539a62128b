import { type FieldSpec, fieldSpec, sortFieldSpecs } from "./field-spec.ts";
import { annotationFields, labelFields, templateLabelFields } from "./label-fields.ts";
import { nameReferences } from "./name-references.ts";
import { podFields } from "./pod-places.ts";
import { sortNameReferences, type TransformerConfig } from "./transformer-config.ts";

const create = true;

const namespaceFields: readonly FieldSpec[] = [
  fieldSpec("metadata/name", { create, kind: "Namespace" }),
  fieldSpec("spec/service/namespace", {
    create,
    group: "apiregistration.k8s.io",
    kind: "APIService",
  }),
  fieldSpec("spec/conversion/webhook/clientConfig/service/namespace", {
    group: "apiextensions.k8s.io",
    kind: "CustomResourceDefinition",
  }),
];

const imageFields = ["spec", "spec/template/spec"].flatMap((pod) =>
  ["containers[]/image", "initContainers[]/image", "volumes[]/image/reference"].map((path) =>
    fieldSpec(`${pod}/${path}`, { create }),
  ),
);

const replicaFields = ["Deployment", "ReplicationController", "ReplicaSet", "StatefulSet"].map(
  (kind) => fieldSpec("spec/replicas", { create, kind }),
);

const containerTexts = ["args", "command", "env/value", "volumeMounts/mountPath"];

/** Where variables are looked for. */
const variableFields: readonly FieldSpec[] = [
  ...podFields(
    ["CronJob", "DaemonSet", "Deployment", "Job", "Pod", "ReplicaSet", "StatefulSet"],
    ["containers", "initContainers"].flatMap((name) => containerTexts.map((t) => `${name}/${t}`)),
  ),
  ...podFields(["DaemonSet", "Deployment", "Job", "Pod", "ReplicaSet"], ["volumes/nfs/server"]),
  fieldSpec("spec/jobTemplate/spec/template/volumes/nfs/server", { kind: "CronJob" }),
  fieldSpec("spec/template/metadata/annotations", { kind: "Deployment" }),
  fieldSpec("spec/rules/host", { kind: "Ingress" }),
  fieldSpec("spec/tls/hosts", { kind: "Ingress" }),
  fieldSpec("spec/tls/secretName", { kind: "Ingress" }),
  fieldSpec("spec/ports/port", { kind: "Service" }),
  fieldSpec("spec/ports/targetPort", { kind: "Service" }),
  fieldSpec("spec/volumeClaimTemplates/spec/nfs/server", { kind: "StatefulSet" }),
  fieldSpec("spec/nfs/server", { kind: "PersistentVolume" }),
  fieldSpec("metadata/labels"),
  fieldSpec("metadata/annotations"),
];

/** The fields that transformations change, unless a kustomization names more. */
export const defaultConfig: TransformerConfig = {
  namePrefix: [fieldSpec("metadata/name")],
  nameSuffix: [fieldSpec("metadata/name")],
  namespace: sortFieldSpecs(namespaceFields),
  commonLabels: sortFieldSpecs(labelFields),
  labels: [],
  templateLabels: sortFieldSpecs(templateLabelFields),
  commonAnnotations: sortFieldSpecs(annotationFields),
  nameReference: sortNameReferences(nameReferences),
  varReference: sortFieldSpecs(variableFields),
  images: sortFieldSpecs(imageFields),
  replicas: sortFieldSpecs(replicaFields),
};
