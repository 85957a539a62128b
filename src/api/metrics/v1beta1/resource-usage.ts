import { duration, time } from "../../../schema/language/field.ts";
import type { Column } from "../../../schema/language/kind.ts";
import { addQuantities, formatQuantity, parseQuantity } from "../../../schema/values/quantity.ts";
import { type ResourceList, resourceList } from "../../core/v1/resource-list.ts";
import { nameColumn, type WithMetadata } from "../../meta/v1/columns.ts";

/** The package of the OpenAPI names. */
export const metricsPackage = "io.k8s.metrics.pkg.apis.metrics.v1beta1";

/** When usage was measured: from `timestamp` minus `window` to `timestamp`. */
export const interval = {
  timestamp: time(2).always().expected().doc("The end of the time that was measured."),
  window: duration(3).always().expected().doc("The length of the time that was measured."),
};

export const usage = (tag: number) =>
  resourceList(tag).always().expected().doc("CPU, and memory as the working set.");

/** What is measured in a time. */
export interface Measured extends WithMetadata {
  readonly window?: string | null | undefined;
}

/** The columns of metrics-server's tables: name, CPU, memory and window. */
export const usageColumns = <O extends Measured>(
  usageOf: (object: O) => readonly ResourceList[],
): readonly Column<O>[] => [
  {
    name: "Name",
    type: "string",
    format: "name",
    description: "Name of the resource",
    cell: nameColumn.cell,
  },
  ...["cpu", "memory"].map((name) => ({
    name,
    type: "string" as const,
    format: "quantity",
    description: "",
    cell: (object: O) => sumOf(usageOf(object), name),
  })),
  {
    name: "Window",
    type: "string",
    format: "duration",
    description: "",
    cell: ({ window }) => window ?? "0s",
  },
];

function sumOf(lists: readonly ResourceList[], name: string): string {
  const amounts = lists.map((list) => parseQuantity(list[name] ?? "0"));
  const [first = parseQuantity("0"), ...rest] = amounts;
  return formatQuantity(rest.reduce(addQuantities, first));
}
