import { describedKinds } from "../described-kinds.ts";
import { eventLines } from "../events.ts";
import { metadataLines } from "../metadata-lines.ts";
import { objectDescriber } from "../object-describer.ts";
import { podTemplateLines } from "../pods/pod-template-lines.ts";
import { labelsText, selectorQuery } from "../selector-text.ts";
import { podCountsText } from "./pod-counts.ts";

export const describeDaemonSet = objectDescriber(
  describedKinds.daemonSet,
  async (d, daemonSet, context) => {
    const { metadata, spec, status } = daemonSet;
    const selector = selectorQuery(spec.selector);
    const counts = await podCountsText(context, metadata, selector);
    const events = await context.events(daemonSet);
    d.field("Name", metadata.name ?? "");
    d.field("Namespace", metadata.namespace ?? "");
    d.field("Selector", selector);
    d.field("Node-Selector", labelsText(spec.template.spec?.nodeSelector));
    metadataLines(d, metadata);
    for (const [title, count = 0] of [
      ["Desired Number of Nodes Scheduled", status.desiredNumberScheduled],
      ["Current Number of Nodes Scheduled", status.currentNumberScheduled],
      ["Number of Nodes Scheduled with Up-to-date Pods", status.updatedNumberScheduled],
      ["Number of Nodes Scheduled with Available Pods", status.numberAvailable],
      ["Number of Nodes Misscheduled", status.numberMisscheduled],
    ] as const)
      d.line(`${title}: ${count}`);
    d.field("Pods Status", counts);
    podTemplateLines(d, spec.template);
    eventLines(d, events, context.clock);
  },
);
