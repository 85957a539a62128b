import { describedKinds } from "../described-kinds.ts";
import { eventLines } from "../events.ts";
import { headLines } from "../metadata-lines.ts";
import { versionedDescriber } from "../object-describer.ts";
import { timedConditionLines } from "../timed-condition-lines.ts";

export const describeServiceCidr = versionedDescriber(
  [describedKinds.serviceCidr, describedKinds.serviceCidrBeta],
  async (d, serviceCidr, context) => {
    const { metadata, spec, status } = serviceCidr;
    const events = await context.events(serviceCidr);
    headLines(d, metadata, false);
    d.field("CIDRs", (spec?.cidrs ?? []).join(", "));
    const { conditions = [] } = status ?? {};
    if (conditions.length > 0) d.line("Status:");
    timedConditionLines(d, conditions);
    eventLines(d, events, context.clock);
  },
);
