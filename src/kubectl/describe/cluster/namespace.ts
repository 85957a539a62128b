import { StatusError } from "../../../api/meta/v1/status-error.ts";
import { describedKinds } from "../described-kinds.ts";
import { headLines } from "../metadata-lines.ts";
import { objectDescriber } from "../object-describer.ts";
import { timedConditionLines } from "../timed-condition-lines.ts";
import { limitRangeLines } from "./limit-range.ts";
import { resourceQuotaLines } from "./resource-quota.ts";

export const describeNamespace = objectDescriber(
  describedKinds.namespace,
  async (d, namespace, context) => {
    const { metadata, status } = namespace;
    const { name = "" } = metadata;
    const quotas = await context.list(describedKinds.resourceQuota, name).catch(unlessUnknown);
    const limitRanges = await context.list(describedKinds.limitRange, name).catch(unlessUnknown);
    headLines(d, metadata, false);
    d.field("Status", status.phase ?? "");
    timedConditionLines(d, status.conditions ?? []);
    if (quotas) {
      d.line("");
      resourceQuotaLines(d, quotas);
    }
    if (limitRanges) {
      d.line("");
      limitRangeLines(d, limitRanges);
    }
  },
);

/** A server may not have the kind. */
function unlessUnknown(error: unknown): undefined {
  if (!StatusError.is(error, "NotFound")) throw error;
}
