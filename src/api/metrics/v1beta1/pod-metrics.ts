import { list, string } from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { interval, type Measured, metricsPackage, usage, usageColumns } from "./resource-usage.ts";

export const ContainerMetrics = struct(`${metricsPackage}.ContainerMetrics`, {
  name: string(1).always().expected().doc("The name of the container."),
  usage: usage(2),
}).doc("What a container uses.");
export interface ContainerMetrics extends Infer<typeof ContainerMetrics> {}

export const PodMetrics = kind({
  group: "metrics.k8s.io",
  version: "v1beta1",
  kind: "PodMetrics",
  plural: "pods",
  singular: "",
  scope: "Namespaced",
  package: metricsPackage,
  stability: "beta",
  verbs: ["get", "list"],
  isStored: false,
  doc: "What the containers of a pod use.",
  name: nameIsDnsSubdomain,
  fields: {
    ...interval,
    containers: list(4, ContainerMetrics)
      .always()
      .expected()
      .atomic()
      .doc("The containers, all measured in the same time."),
  },
  columns: usageColumns((pod: Used) =>
    (pod.containers ?? []).map((container) => container.usage ?? {}),
  ),
});
export interface PodMetrics extends ObjectOf<typeof PodMetrics> {}

interface Used extends Measured {
  readonly containers?: readonly ContainerMetrics[] | null | undefined;
}
