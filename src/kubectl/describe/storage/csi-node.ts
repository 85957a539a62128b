import { goString } from "../../../schema/values/go-print.ts";
import { describedKinds } from "../described-kinds.ts";
import { eventLines } from "../events.ts";
import { headLines } from "../metadata-lines.ts";
import { objectDescriber } from "../object-describer.ts";
import { timeText } from "../time-text.ts";

export const describeCsiNode = objectDescriber(
  describedKinds.csiNode,
  async (d, csiNode, context) => {
    const { metadata, spec } = csiNode;
    const events = await context.events(csiNode);
    headLines(d, metadata, false);
    d.field("CreationTimestamp", timeText(metadata.creationTimestamp));
    d.line("Spec:");
    if (spec.drivers) d.line("Drivers:", 1);
    for (const { name, nodeID, allocatable, topologyKeys } of spec.drivers ?? []) {
      d.line(`${name}:`, 2);
      d.field("Node ID", nodeID ?? "", 3);
      if (allocatable?.count !== undefined) {
        d.line("Allocatables:", 3);
        d.field("Count", allocatable.count, 4);
      }
      if (topologyKeys) d.field("Topology Keys", goString(topologyKeys), 3);
    }
    eventLines(d, events, context.clock);
  },
);
