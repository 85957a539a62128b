import { describedKinds } from "../described-kinds.ts";
import { eventLines } from "../events.ts";
import { objectDescriber } from "../object-describer.ts";
import { selectorText } from "../selector-text.ts";

export const describePodDisruptionBudget = objectDescriber(
  describedKinds.podDisruptionBudget,
  async (d, budget, context) => {
    const { metadata, spec, status } = budget;
    const events = await context.events(budget);
    d.field("Name", metadata.name ?? "");
    d.field("Namespace", metadata.namespace ?? "");
    if (spec.minAvailable !== undefined) d.field("Min available", spec.minAvailable);
    else d.optionalField("Max unavailable", spec.maxUnavailable);
    d.field("Selector", spec.selector ? selectorText(spec.selector) : "<unset>");
    d.line("Status:");
    d.field("Allowed disruptions", status.disruptionsAllowed ?? 0, 2);
    d.field("Current", status.currentHealthy ?? 0, 2);
    d.field("Desired", status.desiredHealthy ?? 0, 2);
    d.field("Total", status.expectedPods ?? 0, 2);
    eventLines(d, events, context.clock);
  },
);
