import { value } from "../../../schema/language/field.ts";
import type { Column } from "../../../schema/language/kind.ts";
import { nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { storedStrategy } from "../../meta/v1/stored-strategy.ts";
import { roundTripAnnotations } from "../v2/annotations.ts";
import { HorizontalPodAutoscaler as StoredKind } from "../v2/horizontal-pod-autoscaler.ts";
import { horizontalPodAutoscalerColumns } from "../v2/horizontal-pod-autoscaler-columns.ts";
import {
  validateHorizontalPodAutoscalerSpec,
  validateHorizontalPodAutoscalerStatus,
} from "../v2/horizontal-pod-autoscaler-validation.ts";
import { type Autoscaler, fromStored, toStored } from "./horizontal-pod-autoscaler-conversion.ts";
import {
  HorizontalPodAutoscalerSpec,
  HorizontalPodAutoscalerStatus,
} from "./horizontal-pod-autoscaler-spec.ts";

const conversion = { stored: StoredKind, fromStored, toStored };

export const HorizontalPodAutoscaler = kind({
  group: "autoscaling",
  version: "v1",
  kind: "HorizontalPodAutoscaler",
  plural: "horizontalpodautoscalers",
  shortNames: ["hpa"],
  categories: ["all"],
  scope: "Namespaced",
  doc: "Changes the number of pods of something, by the CPU that they use.",
  name: nameIsDnsSubdomain,
  conversion,
  fieldAnnotations: roundTripAnnotations,
  fields: {
    spec: value(2, HorizontalPodAutoscalerSpec).expected().doc("What is scaled, and by what."),
    status: value(3, HorizontalPodAutoscalerStatus).doc("What it sees and does."),
  },
  subresources: ["status"],
  // Rules are those of v2, and so are the names of fields in errors.
  rules: [
    (autoscaler, at) =>
      validateHorizontalPodAutoscalerSpec(toStored(autoscaler).spec, undefined, at.child("spec")),
  ],
  updateRules: (autoscaler, old, { at }) =>
    validateHorizontalPodAutoscalerSpec(
      toStored(autoscaler).spec,
      toStored(old).spec,
      at.child("spec"),
    ),
  statusRules: (autoscaler, _old, { at }) =>
    validateHorizontalPodAutoscalerStatus(toStored(autoscaler).status, at.child("status")),
  strategy: storedStrategy(conversion),
  columns: horizontalPodAutoscalerColumns.map(
    (column): Column<Autoscaler> => ({
      ...column,
      cell: (autoscaler, context) => column.cell(toStored(autoscaler), context),
    }),
  ),
});
export interface HorizontalPodAutoscaler extends ObjectOf<typeof HorizontalPodAutoscaler> {}

/** Spec and status belong together with annotations, so they change together. */
