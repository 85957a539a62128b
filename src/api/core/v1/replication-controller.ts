import { int32, int64, list, message, stringMap, value } from "../../../schema/language/field.ts";
import { At } from "../../../schema/language/report.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { selectorFromSet } from "../../../schema/selectors/label-selector.ts";
import { nameIsLongName } from "../../../schema/values/names.ts";
import { validateNonnegative, validateReplicaCounts } from "../../apps/v1/replica-validation.ts";
import { nameWarnings } from "../../apps/v1/template-warnings.ts";
import { ageColumn, nameColumn } from "../../meta/v1/columns.ts";
import { ownCondition } from "../../meta/v1/condition.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import type { Container } from "./container/container.ts";
import { dropDisabledPodFields } from "./pod/pod-disabled-fields.ts";
import { PodTemplateSpec } from "./pod/pod-template.ts";
import { podValidationOptions } from "./pod/validation/pod-ratcheting.ts";
import { validatePodTemplateSpec } from "./pod/validation/pod-template-validation.ts";
import type { PodValidationOptions } from "./pod/validation/pod-validation-options.ts";
import { podTemplateWarnings } from "./pod/validation/pod-warnings.ts";
import { formatLabels } from "./service/service-columns.ts";

export const ReplicationControllerSpec = struct("io.k8s.api.core.v1.ReplicationControllerSpec", {
  replicas: int32(1).pointer().default(1).doc("How many pods there should be."),
  minReadySeconds: int32(4).doc("Seconds that a pod must be ready to count as available."),
  selector: stringMap(2)
    .atomic()
    .doc("Labels of the pods that belong to it; those of the template if not given."),
  template: message(3, PodTemplateSpec).doc("What pods are made from."),
})
  .validatedElsewhere()
  .doc("What a replication controller should be.");
export interface ReplicationControllerSpec extends Infer<typeof ReplicationControllerSpec> {}

export const ReplicationControllerCondition = ownCondition(
  "io.k8s.api.core.v1.ReplicationControllerCondition",
  "v1.ReplicationControllerConditionType",
  "ReplicaFailure",
).doc("One aspect of a replication controller's state.");
export interface ReplicationControllerCondition
  extends Infer<typeof ReplicationControllerCondition> {}

export const ReplicationControllerStatus = struct(
  "io.k8s.api.core.v1.ReplicationControllerStatus",
  {
    replicas: int32(1).always().expected().doc("How many pods there are."),
    fullyLabeledReplicas: int32(2).doc("How many of them have all labels of the template."),
    readyReplicas: int32(4).doc("How many of them are ready."),
    availableReplicas: int32(5).doc("How many of them have been ready for long enough."),
    observedGeneration: int64(3).doc("The generation that the status is about."),
    conditions: list(6, ReplicationControllerCondition)
      .keyedBy("type")
      .doc("The replication controller's state."),
  },
).doc("What a replication controller is at present.");
export interface ReplicationControllerStatus extends Infer<typeof ReplicationControllerStatus> {}

export const ReplicationController = kind({
  group: "",
  version: "v1",
  kind: "ReplicationController",
  plural: "replicationcontrollers",
  shortNames: ["rc"],
  categories: ["all"],
  scope: "Namespaced",
  storagePrefix: "controllers",
  doc: "Keeps a number of equal pods running; replica sets have taken its place.",
  name: nameIsLongName,
  fields: {
    spec: value(2, ReplicationControllerSpec).doc("What the replication controller should be."),
    status: value(3, ReplicationControllerStatus).doc(
      "What the replication controller is at present.",
    ),
  },
  subresources: ["scale", "status"],
  defaults({ metadata, spec }) {
    const labels = spec?.template?.metadata?.labels;
    if (!labels) return;
    if (isEmptyMap(spec.selector)) spec.selector = { ...labels };
    if (isEmptyMap(metadata.labels)) metadata.labels = { ...labels };
  },
  rules: [({ spec }, at) => validateSpec(spec, at.child("spec"), podValidationOptions())],
  updateRules({ spec }, old, { at }) {
    validateSpec(spec, at.child("spec"), podValidationOptions(old.spec.template));
    const broken = Object.entries(old.metadata.annotations ?? {}).filter(([key]) =>
      key.startsWith(nonConvertible),
    );
    for (const [key, annotated] of broken) {
      const [, field, ...rest] = key.split("/");
      if (field === undefined || rest.length > 0) continue;
      if (!field.includes("selector"))
        at.notFound(field, annotated, "unknown non-convertible field");
      else if (!sameLabels(spec.selector, old.spec.selector))
        at.invalid(
          "spec.selector",
          spec.selector ?? null,
          "cannot update non-convertible selector",
        );
    }
  },
  statusRules({ status }, _old, { at }) {
    validateStatus(status, at.child("status"));
  },
  selectableFields: { "status.replicas": ({ status }) => `${status.replicas}` },
  strategy: {
    fillEmpty({ spec }) {
      spec.replicas = 0;
    },
    initialStatus: { replicas: 0 },
    generation: { spec: ReplicationControllerSpec },
    prepare({ spec: { template } }, old, write) {
      if (template) dropDisabledPodFields(template.spec, old?.spec.template?.spec, write);
    },
    dependents: "orphan",
    warnings({ metadata, spec }, old) {
      if (old && metadata.generation === old.metadata.generation) return [];
      // An update is told of the template as it was: upstream takes the one for the other.
      const { template } = old?.spec ?? spec;
      return [
        ...(old ? [] : nameWarnings(metadata)),
        ...(template ? podTemplateWarnings(template, templatePlace) : []),
      ];
    },
  },
  columns: [
    nameColumn,
    {
      name: "Desired",
      type: "integer",
      description:
        "Replicas is the number of desired replicas. This is a pointer to distinguish between explicit zero and unspecified. Defaults to 1. More info: https://kubernetes.io/docs/concepts/workloads/controllers/replicationcontroller#what-is-a-replicationcontroller",
      cell: ({ spec }) => spec.replicas,
    },
    {
      name: "Current",
      type: "integer",
      description:
        "Replicas is the most recently observed number of replicas. More info: https://kubernetes.io/docs/concepts/workloads/controllers/replicationcontroller#what-is-a-replicationcontroller",
      cell: ({ status }) => status.replicas,
    },
    {
      name: "Ready",
      type: "integer",
      description: "The number of ready replicas for this replication controller.",
      cell: ({ status }) => status.readyReplicas ?? 0,
    },
    ageColumn,
    {
      name: "Containers",
      type: "string",
      wide: true,
      description: "Names of each container in the template.",
      cell: ({ spec }) => containersOf(spec.template, ({ name }) => name),
    },
    {
      name: "Images",
      type: "string",
      wide: true,
      description: "Images referenced by each container in the template.",
      cell: ({ spec }) => containersOf(spec.template, ({ image }) => image ?? ""),
    },
    {
      name: "Selector",
      type: "string",
      wide: true,
      description:
        "Selector is a label query over pods that should match the Replicas count. If Selector is empty, it is defaulted to the labels present on the Pod template. Label keys and values that must match in order to be controlled by this replication controller, if empty defaulted to labels on Pod template. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors",
      cell: ({ spec }) => formatLabels(spec.selector),
    },
  ],
});
export interface ReplicationController extends ObjectOf<typeof ReplicationController> {}

/** Annotations of what could not be converted from another version of the object. */
const nonConvertible = "non-convertible.kubernetes.io";
const templatePlace = At.root().child("spec").child("template");

type Labels = Readonly<Record<string, string>>;

const isEmptyMap = (map: Labels | null | undefined): boolean => Object.keys(map ?? {}).length === 0;
const sameLabels = (a: Labels = {}, b: Labels = {}): boolean => formatLabels(a) === formatLabels(b);
const containersOf = (
  template: PodTemplateSpec | undefined,
  show: (container: Container) => string,
): string => (template?.spec.containers ?? []).map(show).join(",");

function validateSpec(
  spec: ReplicationControllerSpec,
  at: At,
  options: PodValidationOptions,
): void {
  const { selector, template } = spec;
  validateNonnegative(spec, at, "minReadySeconds");
  if (isEmptyMap(selector)) at.required("selector");
  validateNonnegative(spec, at, "replicas");
  if (!template) {
    at.required("template");
    return;
  }
  const { labels } = template.metadata;
  if (!isEmptyMap(selector) && !selectorFromSet(selector).matches(labels))
    at.invalid("template.metadata.labels", labels, "`selector` does not match template `labels`");
  validatePodTemplateSpec(template, at.child("template"), options);
  if (template.spec.restartPolicy !== "Always")
    at.notSupported("template.spec.restartPolicy", template.spec.restartPolicy, ["Always"]);
  if (template.spec.activeDeadlineSeconds !== undefined)
    at.forbidden(
      "template.spec.activeDeadlineSeconds",
      "activeDeadlineSeconds in ReplicationController is not Supported",
    );
}

function validateStatus(status: ReplicationControllerStatus, at: At): void {
  validateNonnegative(
    status,
    at,
    "replicas",
    "fullyLabeledReplicas",
    "readyReplicas",
    "availableReplicas",
    "observedGeneration",
  );
  validateReplicaCounts(status, at, "fullyLabeledReplicas");
}
