import { describedKinds } from "../described-kinds.ts";
import { eventLines } from "../events.ts";
import { controllerText, metadataLines } from "../metadata-lines.ts";
import { objectDescriber } from "../object-describer.ts";
import { podTemplateLines } from "../pods/pod-template-lines.ts";
import { selectorQuery, selectorText } from "../selector-text.ts";
import { conditionLines } from "./condition-lines.ts";
import { podCountsText } from "./pod-counts.ts";

export const describeReplicaSet = objectDescriber(
  describedKinds.replicaSet,
  async (d, replicaSet, context) => {
    const { metadata, spec, status } = replicaSet;
    const selector = selectorQuery(spec.selector);
    const counts = await podCountsText(context, metadata, selector).catch(
      (error: Error) => `error in fetching pods: ${error.message}`,
    );
    const events = await context.events(replicaSet);
    d.field("Name", metadata.name ?? "");
    d.field("Namespace", metadata.namespace ?? "");
    d.field("Selector", selectorText(spec.selector));
    metadataLines(d, metadata);
    d.optionalField("Controlled By", controllerText(metadata));
    d.field("Replicas", `${status.replicas ?? 0} current / ${spec.replicas ?? 0} desired`);
    d.field("Pods Status", counts);
    podTemplateLines(d, spec.template);
    conditionLines(d, status.conditions);
    eventLines(d, events, context.clock);
  },
);
