import { boolFlag, type Values } from "../../../../cli/flag.ts";
import { parseFieldSelector } from "../../../../schema/selectors/field-selector.ts";
import { formatDuration } from "../../../../schema/values/duration.ts";
import type { Quantity } from "../../../../schema/values/quantity.ts";
import { type CommandContext, kubectlCommand } from "../../../program/kubectl-command.ts";
import { helper } from "../../../resource/helper.ts";
import { knownKinds } from "../../shared/known-kinds.ts";
import { allNamespacesFlags } from "../../shared/namespace-flags.ts";
import { fieldSelectorFlags, labelSelectorFlags } from "../../shared/selector-flags.ts";
import {
  amountOf,
  type ContainerMetrics,
  checkSortBy,
  metricsKinds,
  nameOf,
  type PodMetrics,
  requireMetricsApi,
  selectorText,
  topFlags,
  totalOf,
} from "./metrics.ts";
import { compareMetrics, compareText, measured, printRows, usageCell } from "./metrics-table.ts";

const usage = "pod [NAME | -l label]";

const flags = {
  ...labelSelectorFlags,
  ...fieldSelectorFlags,
  ...topFlags("pods"),
  containers: boolFlag({ usage: "If present, print usage of containers within a pod." }),
  ...allNamespacesFlags,
  sum: boolFlag({ usage: "Print the sum of the resource usage" }),
};

export const topPodCommand = kubectlCommand({
  name: "pod",
  aliases: ["pods", "po"],
  usage: "[NAME | -l label]",
  short: "Display resource (CPU/memory) usage of pods",
  long: "Display how much CPU and memory pods use.\n\nThe figures of new pods can be missing for some minutes.",
  examples: `# Show the pods of the default namespace
kubectl top pod

# Show the pods of another namespace
kubectl top pod --namespace=NAMESPACE

# Show a pod with its containers
kubectl top pod POD_NAME --containers

# Show the pods with a label
kubectl top pod -l name=myLabel`,
  flags,
  async run(context) {
    const { flags, args, path, factory, io } = context;
    const name = nameOf(args, path, usage);
    const { namespace } = await factory.namespace();
    checkSortBy(flags["sort-by"]);
    if (name !== "" && (flags.selector !== "" || flags["field-selector"] !== ""))
      throw new Error("only one of NAME or selector can be provided");
    const selectors = {
      labelSelector: selectorText(flags.selector),
      fieldSelector: fieldSelectorText(flags["field-selector"]),
    };
    await requireMetricsApi(context);
    const requests = helper(await factory.client(), metricsKinds.pod, {
      signal: context.signal,
      onWarning: (text) => factory.warn(text),
    });
    const place = flags["all-namespaces"] ? "" : namespace;
    const found =
      name === ""
        ? (await requests.list(place, selectors)).items
        : [await requests.get({ namespace: place, name })];
    const metrics = (found ?? []) as unknown as readonly PodMetrics[];
    if (metrics.length > 0) printRows(rowsOf(metrics, flags), io);
    else {
      await checkPods(context, namespace, selectors);
      io.stderr.write(
        flags["all-namespaces"]
          ? "No resources found\n"
          : `No resources found in ${namespace} namespace.\n`,
      );
    }
    return undefined;
  },
});

function fieldSelectorText(text: string): string | undefined {
  if (text !== "") parseFieldSelector(text);
  return text || undefined;
}

/** Throws if there are pods: then their metrics are missing. */
async function checkPods(
  { factory, signal }: Pick<CommandContext, "factory" | "signal">,
  namespace: string,
  selectors: object,
): Promise<void> {
  const list = await helper(await factory.client(), knownKinds.pod, {
    signal,
    onWarning: (text) => factory.warn(text),
  }).list(namespace, selectors);
  const pods = (list.items ?? []) as readonly Pod[];
  if (pods.length === 0) return;
  for (const { metadata } of pods) {
    const age = factory.clock.now() - Date.parse(metadata.creationTimestamp ?? "");
    if (age > delayMs) {
      const ns = BigInt(Math.round(age * 1e6));
      throw new Error(
        `Metrics not available for pod ${metadata.namespace}/${metadata.name}, age: ${formatDuration(ns)}`,
      );
    }
  }
  throw new Error("metrics not available yet");
}

/** How long the metrics of a new pod may take. */
const delayMs = 120_000;

interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly creationTimestamp?: string;
  };
}

function rowsOf(
  metrics: readonly PodMetrics[],
  options: Values<typeof flags>,
): readonly (readonly string[])[] {
  const withNamespace = options["all-namespaces"];
  const sortBy = options["sort-by"];
  const resources = measured(options["show-swap"]);
  const columns = ["NAME", "CPU(cores)", "MEMORY(bytes)"];
  if (options["show-swap"]) columns.push("SWAP(bytes)");
  const header = [
    ...(withNamespace ? ["NAMESPACE"] : []),
    ...(options.containers ? ["POD"] : []),
    ...columns,
  ];
  const sorted = metrics.toSorted((a, b) => {
    const byNamespace = withNamespace && sortBy === "" ? compareNamespaces(a, b) : 0;
    return byNamespace || compareMetrics(ofPod(a), ofPod(b), sortBy);
  });
  const rows = sorted.flatMap((pod) => {
    const { name, namespace = "" } = pod.metadata;
    const place = withNamespace ? [namespace] : [];
    const cells = (amount: (resource: string) => Quantity): readonly string[] =>
      resources.map((resource) => usageCell(resource, amount(resource)));
    if (!options.containers) return [[...place, name, ...cells(ofPod(pod).amount)]];
    return (pod.containers ?? [])
      .toSorted((a, b) => compareMetrics(ofContainer(a), ofContainer(b), sortBy))
      .map((one) => [...place, name, one.name, ...cells(ofContainer(one).amount)]);
  });
  const all = metrics.flatMap(({ containers = [] }) => containers);
  // Without headers, the original counts no columns for namespaces and pods.
  const width = options["no-headers"] ? columns.length : header.length;
  const blank = (count: number): readonly string[] => Array.from({ length: count }, () => "");
  const sum = [
    [...blank(width - 2), "________", "________"],
    [
      ...blank(width - 2),
      ...resources.map((resource) => usageCell(resource, totalOf(all, resource))),
    ],
  ];
  return [...(options["no-headers"] ? [] : [header]), ...rows, ...(options.sum ? sum : [])];
}

const compareNamespaces = (a: PodMetrics, b: PodMetrics): number =>
  compareText(a.metadata.namespace ?? "", b.metadata.namespace ?? "");

const ofPod = ({ metadata: { name }, containers = [] }: PodMetrics) => ({
  name,
  amount: (resource: string): Quantity => totalOf(containers, resource),
});

const ofContainer = ({ name, usage }: ContainerMetrics) => ({
  name,
  amount: (resource: string): Quantity => amountOf(usage, resource),
});
