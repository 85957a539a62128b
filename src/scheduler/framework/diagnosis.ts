import type { PodInfo } from "./pod-info.ts";
import { isRejected, type Status, type StatusCode, status } from "./status.ts";

/** The status of each node in a failed attempt. Nodes without an entry share one status. */
export class NodeStatuses {
  readonly #byNode = new Map<string, Status>();
  /** The status of nodes without an entry. */
  absent: Status = unseen;

  get size(): number {
    return this.#byNode.size;
  }

  get(node: string): Status {
    return this.#byNode.get(node) ?? this.absent;
  }

  set(node: string, one: Status): void {
    this.#byNode.set(node, one);
  }

  /** The nodes with an entry. */
  entries(): IterableIterator<[string, Status]> {
    return this.#byNode.entries();
  }

  /** Returns the nodes whose status has a code. */
  withCode<N extends { readonly name: string }>(
    nodes: readonly N[],
    code: StatusCode,
  ): readonly N[] {
    if (this.absent.code !== code && this.#byNode.size === 0) return [];
    return nodes.filter(({ name }) => this.get(name).code === code);
  }
}

const unseen = status("UnschedulableAndUnresolvable");

/** Why no node was found for a pod. */
export interface Diagnosis {
  readonly nodes: NodeStatuses;
  readonly unschedulablePlugins: Set<string>;
  readonly pendingPlugins: Set<string>;
  /** The message of the `preFilter` plugin that rejected the pod. */
  preFilterMessage: string;
  /** The message of `postFilter`, for example about preemption. */
  postFilterMessage: string;
}

export const newDiagnosis = (): Diagnosis => ({
  nodes: new NodeStatuses(),
  unschedulablePlugins: new Set(),
  pendingPlugins: new Set(),
  preFilterMessage: "",
  postFilterMessage: "",
});

/** Records the plugin that rejected a pod. */
export function recordRejection(
  { unschedulablePlugins, pendingPlugins }: Diagnosis,
  one: Status,
): void {
  if (!one.plugin) return;
  if (isRejected(one)) unschedulablePlugins.add(one.plugin);
  if (one.code === "Pending") pendingPlugins.add(one.plugin);
}

/** Thrown when no node fits a pod: `0/5 nodes are available: …`. */
export class FitError extends Error {
  override readonly name = "FitError";
  readonly pod: PodInfo;
  readonly diagnosis: Diagnosis;
  readonly #allNodes: number;

  constructor(pod: PodInfo, allNodes: number, diagnosis: Diagnosis) {
    super();
    this.pod = pod;
    this.diagnosis = diagnosis;
    this.#allNodes = allNodes;
  }

  /** Built on demand: the result of `postFilter` is added after the error is created. */
  override get message(): string {
    return fitMessage(this.#allNodes, this.diagnosis);
  }
}

/** Formats the number of nodes for each reason, with upstream's wording. */
export function fitMessage(
  allNodes: number,
  {
    nodes,
    preFilterMessage,
    postFilterMessage,
  }: Omit<Diagnosis, "unschedulablePlugins" | "pendingPlugins">,
): string {
  const reasons = preFilterMessage === "" ? histogram(allNodes, nodes) : preFilterMessage;
  const parts = [`0/${allNodes} nodes are available:`];
  if (reasons !== "") parts.push(`${reasons}.`);
  if (postFilterMessage !== "") parts.push(postFilterMessage);
  return parts.join(" ");
}

function histogram(allNodes: number, nodes: NodeStatuses): string {
  const counts = new Map<string, number>();
  const count = ({ reasons }: Status, by: number): void => {
    for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + by);
  };
  for (const [, one] of nodes.entries()) count(one, 1);
  if (nodes.size < allNodes) count(nodes.absent, allNodes - nodes.size);
  return Array.from(counts, ([reason, number]) => `${number} ${reason}`)
    .sort(byBytes)
    .join(", ");
}

const byBytes = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
