import type { ResourceQuota } from "../../../api/core/v1/quota/resource-quota.ts";
import {
  formatQuantity,
  parseQuantity,
  quantityOf,
  quantityValue,
} from "../../../schema/values/quantity.ts";
import { compareUtf8, sortedKeys } from "../../../schema/values/utf8-order.ts";
import { describedKinds } from "../described-kinds.ts";
import type { Description } from "../description.ts";
import { objectDescriber } from "../object-describer.ts";
import { amountOf, quantityText } from "../quantities.ts";

export const describeResourceQuota = objectDescriber(describedKinds.resourceQuota, (d, quota) => {
  d.field("Name", quota.metadata.name ?? "");
  d.field("Namespace", quota.metadata.namespace ?? "");
  scopeLines(d, quota, { level: 0, bullet: " *" });
  d.columns(["Resource", "Used", "Hard"]);
  const { hard, used } = quota.status;
  for (const name of sortedKeys(hard ?? {})) {
    const limit = quantityText(amountOf(hard, name));
    d.row([name, inFormatOf(limit, quantityText(amountOf(used, name))), limit]);
  }
});

/** An amount in the family of suffixes of another. */
function inFormatOf(limit: string, amount: string): string {
  const { format } = parseQuantity(limit);
  const quantity = parseQuantity(amount);
  if (quantity.format === format) return amount;
  return formatQuantity(quantityOf(quantityValue(quantity), format));
}

/** The quotas of a namespace below each other. */
export function resourceQuotaLines(d: Description, quotas: readonly ResourceQuota[]): void {
  if (quotas.length === 0) {
    d.line("No resource quota.");
    return;
  }
  d.line("Resource Quotas");
  const nameOf = ({ metadata }: ResourceQuota): string => metadata.name ?? "";
  for (const quota of quotas.toSorted((a, b) => compareUtf8(nameOf(a), nameOf(b)))) {
    d.field("Name", nameOf(quota), 1);
    scopeLines(d, quota, { level: 1, bullet: "*" });
    d.row(["Resource", "Used", "Hard"], 1);
    d.row(["--------", "---", "---"], 1);
    const { hard, used } = quota.status;
    for (const name of sortedKeys(hard ?? {}))
      d.row([name, quantityText(amountOf(used, name)), quantityText(amountOf(hard, name))], 1);
  }
}

const scopeTexts: ReadonlyMap<string, string> = new Map([
  [
    "Terminating",
    "Matches all pods that have an active deadline. These pods have a limited lifespan on a node before being actively terminated by the system.",
  ],
  [
    "NotTerminating",
    "Matches all pods that do not have an active deadline. These pods usually include long running pods whose container command is not expected to terminate.",
  ],
  [
    "BestEffort",
    "Matches all pods that do not have resource requirements set. These pods have a best effort quality of service.",
  ],
  [
    "NotBestEffort",
    "Matches all pods that have at least one resource requirement set. These pods have a burstable or guaranteed quality of service.",
  ],
]);

/** Which pods count, and what that means. */
function scopeLines(
  d: Description,
  { spec }: ResourceQuota,
  { level, bullet }: { readonly level: number; readonly bullet: string },
): void {
  const scopes = (spec.scopes ?? []).toSorted(compareUtf8);
  if (scopes.length === 0) return;
  d.field("Scopes", scopes.join(", "), level);
  for (const scope of scopes) {
    const text = scopeTexts.get(scope);
    if (text !== undefined) d.line(`${bullet} ${text}`, level);
  }
}
