import { boolFlag, type Values } from "../../../../cli/flag.ts";
import { parseQuantity, type Quantity } from "../../../../schema/values/quantity.ts";
import { type CommandContext, kubectlCommand } from "../../../program/kubectl-command.ts";
import { helper } from "../../../resource/helper.ts";
import { knownKinds } from "../../shared/known-kinds.ts";
import { labelSelectorFlags } from "../../shared/selector-flags.ts";
import {
  amountOf,
  checkSortBy,
  metricsKinds,
  type NodeMetrics,
  nameOf,
  requireMetricsApi,
  selectorText,
  topFlags,
} from "./metrics.ts";
import {
  compareMetrics,
  measured,
  printRows,
  shareCell,
  unknownCells,
  usageCell,
} from "./metrics-table.ts";

const usage = "node [NAME | -l label]";

const flags = {
  ...labelSelectorFlags,
  ...topFlags("nodes"),
  "show-capacity": boolFlag({
    usage: "Print node resources based on Capacity instead of Allocatable(default) of the nodes.",
  }),
};

export const topNodeCommand = kubectlCommand({
  name: "node",
  aliases: ["nodes", "no"],
  usage: "[NAME | -l label]",
  short: "Display resource (CPU/memory) usage of nodes",
  long: "Display how much CPU and memory nodes use, and how much that is of what they have.",
  examples: `# Show all nodes
kubectl top node

# Show one node
kubectl top node NODE_NAME`,
  flags,
  async run(context) {
    const { flags, args, path, io } = context;
    const name = nameOf(args, path, usage);
    checkSortBy(flags["sort-by"]);
    if (name !== "" && flags.selector !== "")
      throw new Error("only one of NAME or --selector can be provided");
    const labelSelector = selectorText(flags.selector);
    await requireMetricsApi(context);
    const metrics = await objectsOf<NodeMetrics>(context, "metrics", { name, labelSelector });
    if (metrics.length === 0) throw new Error("metrics not available yet");
    const nodes = await objectsOf<Node>(context, "nodes", { name, labelSelector });
    printRows(rowsOf(metrics, nodes, flags), io);
    return undefined;
  },
});

interface Node {
  readonly metadata: { readonly name: string };
  readonly status?: {
    readonly allocatable?: Readonly<Record<string, string>>;
    readonly capacity?: Readonly<Record<string, string>>;
    readonly nodeInfo?: { readonly swap?: { readonly capacity?: number } };
  };
}

async function objectsOf<T>(
  { factory, signal }: Pick<CommandContext, "factory" | "signal">,
  what: "metrics" | "nodes",
  { name, labelSelector }: { readonly name: string; readonly labelSelector: string | undefined },
): Promise<readonly T[]> {
  const kind = what === "metrics" ? metricsKinds.node : knownKinds.node;
  const requests = helper(await factory.client(), kind, {
    signal,
    onWarning: (text) => factory.warn(text),
  });
  if (name !== "") return [(await requests.get({ namespace: "", name })) as unknown as T];
  const list = await requests.list("", { labelSelector });
  return (list.items ?? []) as readonly T[];
}

function rowsOf(
  metrics: readonly NodeMetrics[],
  nodes: readonly Node[],
  options: Values<typeof flags>,
): readonly (readonly string[])[] {
  const resources = measured(options["show-swap"]);
  const byName = new Map(nodes.map((node) => [node.metadata.name, node]));
  const sorted = metrics.toSorted((a, b) =>
    compareMetrics(comparable(a), comparable(b), options["sort-by"]),
  );
  const rows = sorted.map(({ metadata: { name }, usage }) => {
    const node = byName.get(name);
    byName.delete(name);
    const cells = resources.flatMap((resource) => {
      if (resource === "swap" && node && swapOf(node) === undefined) return unknownCells(1);
      const amount = amountOf(usage, resource);
      const available = node && availableOf(node, resource, options["show-capacity"]);
      return [usageCell(resource, amount), ...shareCell(amount, available)];
    });
    return [name, ...cells];
  });
  const missing = [...byName.keys()].map((name) => [name, ...unknownCells(resources.length)]);
  const header = [
    ...["NAME", "CPU(cores)", "CPU(%)", "MEMORY(bytes)", "MEMORY(%)"],
    ...(options["show-swap"] ? ["SWAP(bytes)", "SWAP(%)"] : []),
  ];
  return [...(options["no-headers"] ? [] : [header]), ...rows, ...missing];
}

const comparable = ({ metadata: { name }, usage }: NodeMetrics) => ({
  name,
  amount: (resource: string): Quantity => amountOf(usage, resource),
});

const swapOf = ({ status }: Node): number | undefined => status?.nodeInfo?.swap?.capacity;

function availableOf(node: Node, resource: string, ofCapacity: boolean): Quantity | undefined {
  if (resource === "swap") return parseQuantity(String(swapOf(node) ?? 0));
  const amounts = ofCapacity ? node.status?.capacity : node.status?.allocatable;
  const amount = amounts?.[resource];
  return amount === undefined ? undefined : parseQuantity(amount);
}
