import { value } from "../../../schema/language/field.ts";
import { nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { dropRoundTripAnnotations } from "./annotations.ts";
import { horizontalPodAutoscalerColumns } from "./horizontal-pod-autoscaler-columns.ts";
import {
  HorizontalPodAutoscalerSpec,
  HorizontalPodAutoscalerStatus,
} from "./horizontal-pod-autoscaler-spec.ts";
import {
  validateHorizontalPodAutoscalerSpec,
  validateHorizontalPodAutoscalerStatus,
} from "./horizontal-pod-autoscaler-validation.ts";

export const HorizontalPodAutoscaler = kind({
  group: "autoscaling",
  version: "v2",
  kind: "HorizontalPodAutoscaler",
  plural: "horizontalpodautoscalers",
  shortNames: ["hpa"],
  categories: ["all"],
  scope: "Namespaced",
  doc: "Changes the number of pods of something, by what metrics of them say.",
  name: nameIsDnsSubdomain,
  fields: {
    spec: value(2, HorizontalPodAutoscalerSpec).expected().doc("What is scaled, and by what."),
    status: value(3, HorizontalPodAutoscalerStatus).doc("What it sees and does."),
  },
  subresources: ["status"],
  defaults: ({ metadata }) => dropRoundTripAnnotations(metadata),
  rules: [({ spec }, at) => validateHorizontalPodAutoscalerSpec(spec, undefined, at.child("spec"))],
  updateRules: ({ spec }, old, { at }) =>
    validateHorizontalPodAutoscalerSpec(spec, old.spec, at.child("spec")),
  statusRules: ({ status }, _old, { at }) =>
    validateHorizontalPodAutoscalerStatus(status, at.child("status")),
  strategy: {
    initialStatus: { desiredReplicas: 0, currentMetrics: [] },
  },
  columns: horizontalPodAutoscalerColumns,
});
export interface HorizontalPodAutoscaler extends ObjectOf<typeof HorizontalPodAutoscaler> {}
