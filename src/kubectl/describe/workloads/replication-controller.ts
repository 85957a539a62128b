import { formatLabelSelector, selectorFromSet } from "../../../schema/selectors/label-selector.ts";
import { describedKinds } from "../described-kinds.ts";
import { eventLines } from "../events.ts";
import { metadataLines } from "../metadata-lines.ts";
import { objectDescriber } from "../object-describer.ts";
import { podTemplateLines } from "../pods/pod-template-lines.ts";
import { labelsText } from "../selector-text.ts";
import { conditionLines } from "./condition-lines.ts";
import { podCountsText } from "./pod-counts.ts";

export const describeReplicationController = objectDescriber(
  describedKinds.replicationController,
  async (d, controller, context) => {
    const { metadata, spec, status } = controller;
    const selector = formatLabelSelector(selectorFromSet(spec.selector));
    const counts = await podCountsText(context, metadata, selector);
    const events = await context.events(controller);
    d.field("Name", metadata.name ?? "");
    d.field("Namespace", metadata.namespace ?? "");
    d.field("Selector", labelsText(spec.selector));
    metadataLines(d, metadata);
    d.field("Replicas", `${status.replicas ?? 0} current / ${spec.replicas ?? 0} desired`);
    d.field("Pods Status", counts);
    podTemplateLines(d, spec.template);
    conditionLines(d, status.conditions);
    eventLines(d, events, context.clock);
  },
);
