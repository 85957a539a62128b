import { boolFlag, stringFlag } from "../../../../cli/flag.ts";
import { decodeResponse } from "../../../../client/decode-response.ts";
import { dynamicKind } from "../../../../client/resource-kind.ts";
import {
  formatLabelSelector,
  parseLabelSelector,
} from "../../../../schema/selectors/label-selector.ts";
import { addQuantities, parseQuantity, type Quantity } from "../../../../schema/values/quantity.ts";
import { usageError } from "../../../program/command-error.ts";
import type { CommandContext } from "../../../program/kubectl-command.ts";

/** How much of each resource is used, by its name. */
export type Usage = Readonly<Record<string, string>>;

/** The metrics of a node. */
export interface NodeMetrics {
  readonly metadata: { readonly name: string };
  readonly usage?: Usage;
}

/** The metrics of a pod. */
export interface PodMetrics {
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly containers?: readonly ContainerMetrics[];
}

export interface ContainerMetrics {
  readonly name: string;
  readonly usage?: Usage;
}

const group = "metrics.k8s.io";
const version = "v1beta1";

/** The kinds of the metrics API. */
export const metricsKinds = {
  node: dynamicKind({ group, version, kind: "NodeMetrics", plural: "nodes", scope: "Cluster" }),
  pod: dynamicKind({ group, version, kind: "PodMetrics", plural: "pods", scope: "Namespaced" }),
};

/** The flags that both commands have. */
export const topFlags = (things: "nodes" | "pods") => ({
  "sort-by": stringFlag({
    usage: `If non-empty, sort ${things} list using specified field. The field can be either 'cpu' or 'memory'.`,
  }),
  "no-headers": boolFlag({ usage: "If present, print output without headers." }),
  "use-protocol-buffers": boolFlag({
    default: true,
    usage: "Enables using protocol-buffers to access Metrics API.",
  }),
  "show-swap": boolFlag({ usage: "Print resources related to swap memory." }),
});

/** The one name among the arguments; empty without one. */
export function nameOf(args: readonly string[], path: string, usage: string): string {
  const [name = "", ...others] = args;
  if (others.length > 0) throw usageError(path, usage);
  return name;
}

/** Throws unless lists can be sorted so. */
export function checkSortBy(sortBy: string): void {
  if (!["", "cpu", "memory"].includes(sortBy))
    throw new Error("--sort-by accepts only cpu or memory");
}

/** A selector in its canonical form; undefined for all. */
export const selectorText = (text: string): string | undefined =>
  text === "" ? undefined : formatLabelSelector(parseLabelSelector(text)) || undefined;

/** Throws unless the server has the metrics API. */
export async function requireMetricsApi({
  factory,
  signal,
}: Pick<CommandContext, "factory" | "signal">): Promise<void> {
  const client = await factory.client();
  const headers = { accept: "application/json" };
  const response = await client.raw({ method: "GET", path: "/apis", headers, signal });
  const { groups = [] } = (await decodeResponse(response)) as {
    readonly groups?: readonly ApiGroup[];
  };
  const isAvailable = groups.some(
    (one) => one.name === group && one.versions?.some((served) => served.version === version),
  );
  if (!isAvailable) throw new Error("Metrics API not available");
}

interface ApiGroup {
  readonly name?: string;
  readonly versions?: readonly { readonly version?: string }[];
}

/** The amount of a resource; none if it is not measured. */
export const amountOf = (usage: Usage | undefined, resource: string): Quantity =>
  parseQuantity(usage?.[resource] ?? "0");

/** What containers use of a resource together. */
export const totalOf = (containers: readonly ContainerMetrics[], resource: string): Quantity =>
  containers.reduce(
    (sum, { usage }) => addQuantities(sum, amountOf(usage, resource)),
    parseQuantity("0"),
  );
