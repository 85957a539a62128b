import type { MetricDefinition } from "./metrics.ts";

/** Which metrics a registry shows, and which values their labels may have. */
export interface MetricSelection {
  /**
   * The minor version of the release: metrics that were deprecated too long before it are hidden. No metric is hidden
   * if it is not given.
   */
  readonly minor?: number | undefined;
  /** Whether metrics are shown that would be hidden. */
  readonly showsHidden?: boolean | undefined;
  /** The names of metrics that are never shown. */
  readonly disabled?: ReadonlySet<string> | undefined;
  /** The allowed values of labels, by metric and label; each other value becomes `unexpected`. */
  readonly allowed?: AllowedLabels | undefined;
}

/** The allowed values of labels, by metric and label. */
export type AllowedLabels = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;

/** Why a metric is not shown; undefined if it is. */
export function omission(
  { name, stability, deprecated }: MetricDefinition,
  { minor, showsHidden = false, disabled }: MetricSelection,
): "disabled" | "hidden" | undefined {
  if (disabled?.has(name)) return "disabled";
  if (deprecated === undefined || minor === undefined || showsHidden) return undefined;
  const since = Number(deprecated.split(".")[1]);
  return since + shownFor[stability ?? "ALPHA"] <= minor ? "hidden" : undefined;
}

/** For how many minor releases a deprecated metric is shown. */
const shownFor = { ALPHA: 0, BETA: 1, STABLE: 3 } as const;

/** Replaces label values that are not allowed; undefined if the metric allows all. */
export function labelFilter(
  { name, labels = [] }: MetricDefinition,
  { allowed }: MetricSelection,
  onUnexpected: () => void,
): ((values: readonly string[]) => readonly string[]) | undefined {
  const ofMetric = allowed?.get(name);
  if (!ofMetric) return undefined;
  const sets = labels.map((label) => ofMetric.get(label));
  return (values) =>
    values.map((value, index) => {
      const set = sets[index];
      if (!set || set.has(value)) return value;
      onUnexpected();
      return "unexpected";
    });
}
