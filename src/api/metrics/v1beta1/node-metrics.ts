import { nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import type { ResourceList } from "../../core/v1/resource-list.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { interval, type Measured, metricsPackage, usage, usageColumns } from "./resource-usage.ts";

export const NodeMetrics = kind({
  group: "metrics.k8s.io",
  version: "v1beta1",
  kind: "NodeMetrics",
  plural: "nodes",
  singular: "",
  scope: "Cluster",
  package: metricsPackage,
  stability: "beta",
  verbs: ["get", "list"],
  isStored: false,
  doc: "What a node uses.",
  name: nameIsDnsSubdomain,
  fields: { ...interval, usage: usage(4) },
  columns: usageColumns((node: Used) => [node.usage ?? {}]),
});
export interface NodeMetrics extends ObjectOf<typeof NodeMetrics> {}

interface Used extends Measured {
  readonly usage?: ResourceList | undefined;
}
