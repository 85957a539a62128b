import { type FieldSpec, fieldSpec } from "./field-spec.ts";

const metadata = (name: "labels" | "annotations", more: readonly FieldSpec[]): FieldSpec[] => {
  const template = `spec/template/metadata/${name}`;
  const create = true;
  return [
    fieldSpec(`metadata/${name}`, { create }),
    fieldSpec(template, { create, version: "v1", kind: "ReplicationController" }),
    ...["Deployment", "ReplicaSet", "DaemonSet"].map((kind) =>
      fieldSpec(template, { create, kind }),
    ),
    ...more,
    fieldSpec(template, { create, group: "batch", kind: "Job" }),
    fieldSpec(`spec/jobTemplate/metadata/${name}`, { create, group: "batch", kind: "CronJob" }),
    fieldSpec(`spec/jobTemplate/spec/template/metadata/${name}`, {
      create,
      group: "batch",
      kind: "CronJob",
    }),
  ];
};

/** Where labels are that select nothing: of objects and of what they make. */
export const templateLabelFields: readonly FieldSpec[] = metadata("labels", [
  fieldSpec("spec/template/metadata/labels", { create: true, group: "apps", kind: "StatefulSet" }),
  fieldSpec("spec/volumeClaimTemplates[]/metadata/labels", {
    create: true,
    group: "apps",
    kind: "StatefulSet",
  }),
]);

/** Where annotations are. */
export const annotationFields: readonly FieldSpec[] = metadata("annotations", [
  fieldSpec("spec/template/metadata/annotations", { create: true, kind: "StatefulSet" }),
]);

const affinities = (kind: string): FieldSpec[] => {
  const paths = ["podAffinity", "podAntiAffinity"].flatMap((affinity) => [
    `affinity/${affinity}/preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm`,
    `affinity/${affinity}/requiredDuringSchedulingIgnoredDuringExecution`,
  ]);
  return [...paths, "topologySpreadConstraints"].map((path) =>
    fieldSpec(`spec/template/spec/${path}/labelSelector/matchLabels`, { group: "apps", kind }),
  );
};

const policy = { group: "networking.k8s.io", kind: "NetworkPolicy" };

/** Where labels are, selectors included. */
export const labelFields: readonly FieldSpec[] = [
  fieldSpec("spec/selector", { create: true, version: "v1", kind: "Service" }),
  fieldSpec("spec/selector", { create: true, version: "v1", kind: "ReplicationController" }),
  ...["Deployment", "ReplicaSet", "DaemonSet"].map((kind) =>
    fieldSpec("spec/selector/matchLabels", { create: true, kind }),
  ),
  fieldSpec("spec/selector/matchLabels", { create: true, group: "apps", kind: "StatefulSet" }),
  ...affinities("Deployment"),
  ...affinities("StatefulSet"),
  fieldSpec("spec/selector/matchLabels", { group: "batch", kind: "Job" }),
  fieldSpec("spec/jobTemplate/spec/selector/matchLabels", { group: "batch", kind: "CronJob" }),
  fieldSpec("spec/selector/matchLabels", { group: "policy", kind: "PodDisruptionBudget" }),
  fieldSpec("spec/podSelector/matchLabels", policy),
  fieldSpec("spec/ingress/from/podSelector/matchLabels", policy),
  fieldSpec("spec/egress/to/podSelector/matchLabels", policy),
  ...templateLabelFields,
];
