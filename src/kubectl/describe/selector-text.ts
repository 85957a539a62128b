import {
  formatLabelSelector,
  type LabelSelectorObject,
  labelSelector,
} from "../../schema/selectors/label-selector.ts";
import { sortedKeys } from "../../schema/values/utf8-order.ts";

/** A selector in the form that users type; `<none>` for one that selects by nothing. */
export function selectorText(selector: LabelSelectorObject | null | undefined): string {
  try {
    return formatLabelSelector(labelSelector(selector)) || "<none>";
  } catch {
    return "<error>";
  }
}

/** The selector as requests have it; throws if it is invalid. */
export const selectorQuery = (selector: LabelSelectorObject | null | undefined): string =>
  formatLabelSelector(labelSelector(selector));

/** Labels on one line: `a=b,c=d`. */
export function labelsText(labels: Readonly<Record<string, string>> | undefined): string {
  const map = labels ?? {};
  const pairs = sortedKeys(map).map((key) => `${key}=${map[key]}`);
  return pairs.join(",") || "<none>";
}
