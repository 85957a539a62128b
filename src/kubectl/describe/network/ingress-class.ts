import { describedKinds } from "../described-kinds.ts";
import { eventLines } from "../events.ts";
import { headLines } from "../metadata-lines.ts";
import { objectDescriber } from "../object-describer.ts";

export const describeIngressClass = objectDescriber(
  describedKinds.ingressClass,
  async (d, ingressClass, context) => {
    const { metadata, spec } = ingressClass;
    const events = await context.events(ingressClass);
    headLines(d, metadata, false);
    d.field("Controller", spec?.controller ?? "");
    const { parameters } = spec ?? {};
    if (parameters) {
      d.line("Parameters:");
      d.optionalField("APIGroup", parameters.apiGroup, 1);
      d.field("Kind", parameters.kind ?? "", 1);
      d.field("Name", parameters.name ?? "", 1);
    }
    eventLines(d, events, context.clock);
  },
);
