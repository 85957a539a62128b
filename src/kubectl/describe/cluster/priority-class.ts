import { describedKinds } from "../described-kinds.ts";
import { eventLines } from "../events.ts";
import { objectDescriber } from "../object-describer.ts";
import { labelsText } from "../selector-text.ts";

export const describePriorityClass = objectDescriber(
  describedKinds.priorityClass,
  async (d, priorityClass, context) => {
    const { metadata, value, globalDefault, preemptionPolicy, description } = priorityClass;
    const events = await context.events(priorityClass);
    d.field("Name", metadata.name ?? "");
    d.field("Value", value ?? 0);
    d.field("GlobalDefault", globalDefault ?? false);
    d.field("PreemptionPolicy", preemptionPolicy ?? "");
    d.field("Description", description ?? "");
    d.field("Annotations", labelsText(metadata.annotations));
    eventLines(d, events, context.clock);
  },
);
