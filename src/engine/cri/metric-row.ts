import type { Metric, MetricDescriptor } from "../../cri/stats-types.ts";

/** A metric, and how its values follow from what was read of a container or a pod. */
export interface MetricRow<T> {
  readonly name: string;
  readonly help: string;
  readonly type: Metric["type"];
  /** The labels that it has beside those of every metric. */
  readonly keys: readonly string[];
  readonly values: (read: T) => readonly MetricValue[];
}

/** A value, and those of the row's labels. */
export interface MetricValue {
  readonly value: number;
  readonly labels: readonly string[];
}

/** The labels of every metric, as containerd has them. */
export interface MetricLabels {
  readonly pod: string;
  readonly namespace: string;
  /** Empty for metrics of the whole pod, as is the image. */
  readonly container: string;
  readonly id: string;
  readonly image: string;
}

const labelKeys = ["pod", "namespace", "container", "id", "image"] as const;

/** A row with one value and no labels of its own; without a value it is left out. */
export function plainRow<T>(
  type: Metric["type"],
  [name, help]: readonly [string, string],
  value: (read: T) => number | undefined,
): MetricRow<T> {
  const values = (read: T): readonly MetricValue[] => {
    const found = value(read);
    return found === undefined ? [] : [{ value: found, labels: [] }];
  };
  return { name, help, type, keys: [], values };
}

/** What CRI tells of a row before there are values. */
export const describeRow = <T>({ name, help, keys }: MetricRow<T>): MetricDescriptor => ({
  name,
  help,
  labelKeys: [...labelKeys, ...keys],
});

/** The values of rows, with the labels of a container or a pod. */
export function measure<T>(
  rows: readonly MetricRow<T>[],
  read: T,
  { labels, at }: { readonly labels: MetricLabels; readonly at: number },
): readonly Metric[] {
  const own = labelKeys.map((key) => labels[key]);
  return rows.flatMap(({ name, type, values }) =>
    values(read).map(({ value, labels: more }) => {
      return { name, at, type, labelValues: [...own, ...more], value };
    }),
  );
}
