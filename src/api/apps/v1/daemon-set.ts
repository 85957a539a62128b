import { value } from "../../../schema/language/field.ts";
import { At } from "../../../schema/language/report.ts";
import { nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import { dropDisabledPodFields } from "../../core/v1/pod/pod-disabled-fields.ts";
import { PodTemplateSpec } from "../../core/v1/pod/pod-template.ts";
import { podValidationOptions } from "../../core/v1/pod/validation/pod-ratcheting.ts";
import { podTemplateWarnings } from "../../core/v1/pod/validation/pod-warnings.ts";
import { formatLabels } from "../../core/v1/service/service-columns.ts";
import { ageColumn, nameColumn } from "../../meta/v1/columns.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { hasInvalidLabelValue, sameSelector, shownSelector } from "../../meta/v1/label-selector.ts";
import { semanticEqual } from "../../meta/v1/semantic-equal.ts";
import { DaemonSetSpec, DaemonSetStatus } from "./daemon-set-spec.ts";
import { validateDaemonSetSpec, validateDaemonSetStatus } from "./daemon-set-validation.ts";
import { containersColumn, imagesColumn, selectorText } from "./template-columns.ts";
import {
  setTemplateGeneration,
  templateGeneration,
  templateGenerationAnnotation,
} from "./template-generation.ts";

export const DaemonSet = kind({
  group: "apps",
  version: "v1",
  kind: "DaemonSet",
  plural: "daemonsets",
  shortNames: ["ds"],
  categories: ["all"],
  scope: "Namespaced",
  doc: "Keeps a pod running on every node, or on those that are selected.",
  name: nameIsDnsSubdomain,
  fields: {
    spec: value(2, DaemonSetSpec).doc("What the daemon set should be."),
    status: value(3, DaemonSetStatus).doc("What the daemon set is at present."),
  },
  subresources: ["status"],
  fieldAnnotations: [templateGenerationAnnotation],
  rules: [({ spec }, at) => validateDaemonSetSpec(spec, at.child("spec"), podValidationOptions())],
  updateRules({ spec }, old, { at }) {
    if (!sameSelector(spec.selector, old.spec.selector))
      at.invalid("spec.selector", shownSelector(spec.selector), "field is immutable");
    const options = podValidationOptions(old.spec.template);
    validateDaemonSetSpec(spec, at.child("spec"), {
      ...options,
      allowInvalidLabelValueInSelector:
        options.allowInvalidLabelValueInSelector || hasInvalidLabelValue(old.spec.selector),
    });
  },
  statusRules({ status }, old, { at }) {
    validateDaemonSetStatus(status, old.status, at.child("status"));
  },
  strategy: {
    fillEmpty({ metadata }) {
      setTemplateGeneration(metadata, 0n);
    },
    initialStatus: {
      currentNumberScheduled: 0,
      numberMisscheduled: 0,
      desiredNumberScheduled: 0,
      numberReady: 0,
    },
    generation: { spec: DaemonSetSpec },
    prepare(daemonSet, old, write) {
      const { metadata, spec } = daemonSet;
      dropDisabledPodFields(spec.template.spec, old?.spec.template.spec, write);
      setTemplateGeneration(metadata, nextTemplateGeneration(daemonSet, old));
    },
    prepareStatus({ metadata }, old) {
      setTemplateGeneration(metadata, templateGeneration(old.metadata));
    },
    afterDecode({ metadata }) {
      setTemplateGeneration(metadata, templateGeneration(metadata));
    },
    warnings({ metadata, spec }, old) {
      if (old && templateGeneration(metadata) === templateGeneration(old.metadata)) return [];
      return podTemplateWarnings(spec.template, At.root().child("spec").child("template"));
    },
  },
  columns: [
    nameColumn,
    {
      name: "Desired",
      type: "integer",
      description:
        "The total number of nodes that should be running the daemon pod (including nodes correctly running the daemon pod). More info: https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/",
      cell: ({ status }) => status.desiredNumberScheduled,
    },
    {
      name: "Current",
      type: "integer",
      description:
        "The number of nodes that are running at least 1 daemon pod and are supposed to run the daemon pod. More info: https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/",
      cell: ({ status }) => status.currentNumberScheduled,
    },
    {
      name: "Ready",
      type: "integer",
      description:
        "numberReady is the number of nodes that should be running the daemon pod and have one or more of the daemon pod running with a Ready Condition.",
      cell: ({ status }) => status.numberReady,
    },
    {
      name: "Up-to-date",
      type: "integer",
      description: "The total number of nodes that are running updated daemon pod",
      cell: ({ status }) => status.updatedNumberScheduled ?? 0,
    },
    {
      name: "Available",
      type: "integer",
      description:
        "The number of nodes that should be running the daemon pod and have one or more of the daemon pod running and available (ready for at least spec.minReadySeconds)",
      cell: ({ status }) => status.numberAvailable ?? 0,
    },
    {
      name: "Node Selector",
      type: "string",
      description:
        "NodeSelector is a selector which must be true for the pod to fit on a node. Selector which must match a node's labels for the pod to be scheduled on that node. More info: https://kubernetes.io/docs/concepts/configuration/assign-pod-node/",
      cell: ({ spec }) => formatLabels(spec.template.spec.nodeSelector),
    },
    ageColumn,
    containersColumn,
    imagesColumn,
    {
      name: "Selector",
      type: "string",
      wide: true,
      description:
        "A label query over pods that are managed by the daemon set. Must match in order to be controlled. It must match the pod template's labels. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors",
      cell: ({ spec }) => selectorText(spec.selector),
    },
  ],
});
export interface DaemonSet extends ObjectOf<typeof DaemonSet> {}

/** The generation of the template after a write. A malformed annotation is rejected in any case. */
function nextTemplateGeneration(
  { metadata, spec }: Pick<DaemonSet, "metadata" | "spec">,
  old: Pick<DaemonSet, "metadata" | "spec"> | undefined,
): bigint {
  const given = templateGeneration(metadata);
  if (!old) return given < 1n ? 1n : given;
  const isChanged = !semanticEqual(PodTemplateSpec, spec.template, old.spec.template);
  return templateGeneration(old.metadata) + (isChanged ? 1n : 0n);
}
