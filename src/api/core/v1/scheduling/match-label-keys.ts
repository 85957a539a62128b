import type { At } from "../../../../schema/language/report.ts";
import type { Draft } from "../../../../schema/language/struct.ts";
import { type LabelSelector, validateLabelName } from "../../../meta/v1/label-selector.ts";

/** Something that selects pods, also by the values that labels have in the pod itself. */
export interface MatchLabelKeys {
  readonly matchLabelKeys?: readonly string[] | undefined;
  readonly mismatchLabelKeys?: readonly string[] | undefined;
  readonly labelSelector?: LabelSelector | undefined;
}

/**
 * Keys are label names, need a selector, and stand neither in the client's selector nor on both
 * sides. The selector holds already what `mergeMatchLabelKeys` added.
 */
export function validateMatchLabelKeys(
  { matchLabelKeys = [], mismatchLabelKeys = [], labelSelector }: MatchLabelKeys,
  at: At,
): void {
  validateKeys(matchLabelKeys, labelSelector, at.child("matchLabelKeys"));
  validateKeys(mismatchLabelKeys, labelSelector, at.child("mismatchLabelKeys"));
  if (labelSelector) {
    const seen = new Set(Object.keys(labelSelector.matchLabels ?? {}));
    for (const { key } of labelSelector.matchExpressions ?? []) {
      const i = matchLabelKeys.lastIndexOf(key);
      if (i >= 0 && seen.has(key))
        at.index(i).invalid("", key, "exists in both matchLabelKeys and labelSelector");
      seen.add(key);
    }
  }
  for (const [i, key] of matchLabelKeys.entries())
    if (mismatchLabelKeys.includes(key))
      at.child("matchLabelKeys")
        .index(i)
        .invalid("", key, "exists in both matchLabelKeys and mismatchLabelKeys");
}

function validateKeys(keys: readonly string[], selector: LabelSelector | undefined, at: At): void {
  if (keys.length === 0) return;
  if (!selector) {
    at.forbidden("", "must not be specified when labelSelector is not set");
    return;
  }
  for (const [i, key] of keys.entries()) validateLabelName(key, at.index(i));
}

/** Adds to the selector what the keys mean with the labels of a new pod. */
export function mergeMatchLabelKeys(
  {
    matchLabelKeys = [],
    mismatchLabelKeys = [],
    labelSelector,
  }: { [K in keyof MatchLabelKeys]: Draft<MatchLabelKeys[K]> },
  labels: Readonly<Record<string, string>> = {},
): void {
  // No selector selects nothing, whatever the keys.
  if (!labelSelector) return;
  const added = [
    ...matchLabelKeys.map((key) => ({ key, operator: "In" })),
    ...mismatchLabelKeys.map((key) => ({ key, operator: "NotIn" })),
  ].filter(({ key }) => Object.hasOwn(labels, key));
  if (added.length === 0) return;
  labelSelector.matchExpressions = [
    ...(labelSelector.matchExpressions ?? []),
    ...added.map(({ key, operator }) => ({ key, operator, values: [labels[key] as string] })),
  ];
}
