import type { PodTemplateSpec } from "../../../api/core/v1/pod/pod-template.ts";
import type { Description } from "../description.ts";
import { annotationLines, labelLines } from "../metadata-lines.ts";
import { containerLines } from "./container-lines.ts";
import { nodeChoiceLines, schedulingGroupLines, spreadLines } from "./scheduling-lines.ts";
import { volumeLines } from "./volume-lines.ts";

/** The template of a workload's pods. */
export function podTemplateLines(d: Description, template: PodTemplateSpec | undefined): void {
  d.line("Pod Template:");
  if (!template) {
    d.write("<unset>", 1);
    return;
  }
  const { metadata, spec } = template;
  labelLines(d, "  Labels", metadata?.labels);
  if (Object.keys(metadata?.annotations ?? {}).length > 0)
    annotationLines(d, "  Annotations", metadata?.annotations);
  if (!spec) return;
  d.optionalField("Service Account", spec.serviceAccountName || undefined, 1);
  if ((spec.initContainers ?? []).length > 0)
    containerLines(d, { title: "Init Containers", containers: spec.initContainers });
  containerLines(d, { title: "Containers", containers: spec.containers });
  volumeLines(d, spec.volumes, "  ");
  spreadLines(d, spec.topologySpreadConstraints, "  ");
  d.optionalField("Priority Class Name", spec.priorityClassName || undefined, 1);
  nodeChoiceLines(d, spec, "  ");
  schedulingGroupLines(d, spec.schedulingGroup, "  ");
}
