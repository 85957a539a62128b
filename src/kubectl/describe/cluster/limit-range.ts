import type { LimitRange } from "../../../api/core/v1/quota/limit-range.ts";
import type { LimitRangeItem } from "../../../api/core/v1/quota/limit-range-item.ts";
import { sortedKeys } from "../../../schema/values/utf8-order.ts";
import { describedKinds } from "../described-kinds.ts";
import type { Description } from "../description.ts";
import { objectDescriber } from "../object-describer.ts";
import { amountOf, quantityText } from "../quantities.ts";

const columns = [
  "Type",
  "Resource",
  "Min",
  "Max",
  "Default Request",
  "Default Limit",
  "Max Limit/Request Ratio",
];

export const describeLimitRange = objectDescriber(
  describedKinds.limitRange,
  (d, { metadata, spec }) => {
    d.field("Name", metadata.name ?? "");
    d.field("Namespace", metadata.namespace ?? "");
    d.columns(columns);
    for (const item of spec.limits ?? []) itemLines(d, item, "");
  },
);

/** The limit ranges of a namespace as one table. */
export function limitRangeLines(d: Description, limitRanges: readonly LimitRange[]): void {
  if (limitRanges.length === 0) {
    d.line("No LimitRange resource.");
    return;
  }
  d.line("Resource Limits");
  const [first = "", ...others] = columns;
  d.row([` ${first}`, ...others]);
  d.row([` ${dashes(first)}`, ...others.map(dashes)]);
  for (const { spec } of limitRanges) for (const item of spec.limits ?? []) itemLines(d, item, " ");
}

const dashes = (name: string): string => "-".repeat(name.length);

function itemLines(d: Description, item: LimitRangeItem, indent: string): void {
  const { type, min, max, defaultRequest, default: defaultLimit, maxLimitRequestRatio } = item;
  const lists = [min, max, defaultRequest, defaultLimit, maxLimitRequestRatio];
  for (const name of sortedKeys(Object.assign({}, ...lists) as object)) {
    const cells = lists.map((list) => {
      const amount = amountOf(list, name);
      return amount === undefined ? "-" : quantityText(amount);
    });
    d.row([`${indent}${type ?? ""}`, name, ...cells]);
  }
}
