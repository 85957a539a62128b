import type { PersistentVolumeClaim } from "../../../api/core/v1/volume/persistent-volume-claim.ts";
import { goString } from "../../../schema/values/go-print.ts";
import { describedKinds } from "../described-kinds.ts";
import type { Description } from "../description.ts";
import { eventLines } from "../events.ts";
import { labelLines, metadataLines } from "../metadata-lines.ts";
import { objectDescriber } from "../object-describer.ts";
import { podTemplateLines } from "../pods/pod-template-lines.ts";
import { amountOf, quantityText } from "../quantities.ts";
import { selectorQuery } from "../selector-text.ts";
import { claimClass } from "../storage/claim-lines.ts";
import { timeText } from "../time-text.ts";
import { podCountsText } from "./pod-counts.ts";

export const describeStatefulSet = objectDescriber(
  describedKinds.statefulSet,
  async (d, statefulSet, context) => {
    const { metadata, spec, status } = statefulSet;
    const selector = selectorQuery(spec.selector);
    const counts = await podCountsText(context, metadata, selector);
    const events = await context.events(statefulSet);
    d.field("Name", metadata.name ?? "");
    d.field("Namespace", metadata.namespace ?? "");
    d.field("CreationTimestamp", timeText(metadata.creationTimestamp));
    d.field("Selector", selector);
    metadataLines(d, metadata);
    d.field("Replicas", `${spec.replicas ?? 0} desired | ${status.replicas ?? 0} total`);
    d.field("Update Strategy", spec.updateStrategy?.type ?? "");
    const { partition, maxUnavailable } = spec.updateStrategy?.rollingUpdate ?? {};
    if (partition !== undefined) {
      d.field("Partition", partition, 1);
      d.optionalField("MaxUnavailable", maxUnavailable, 1);
    }
    d.field("Pods Status", counts);
    podTemplateLines(d, spec.template);
    claimTemplateLines(d, spec.volumeClaimTemplates);
    eventLines(d, events, context.clock);
  },
);

type ClaimTemplate = Pick<PersistentVolumeClaim, "metadata" | "spec">;

function claimTemplateLines(d: Description, templates: readonly ClaimTemplate[] = []): void {
  if (templates.length === 0) {
    d.field("Volume Claims", "<none>");
    return;
  }
  d.line("Volume Claims:");
  for (const template of templates) {
    const { metadata, spec } = template;
    d.field("Name", metadata?.name ?? "", 1);
    d.field("StorageClass", claimClass({ metadata, spec }), 1);
    labelLines(d, "Labels", metadata?.labels, "  ");
    labelLines(d, "Annotations", metadata?.annotations, "  ");
    const capacity = amountOf(spec?.resources?.requests, "storage");
    d.field("Capacity", capacity === undefined ? "<default>" : quantityText(capacity), 1);
    d.field("Access Modes", goString(spec?.accessModes ?? []), 1);
  }
}
