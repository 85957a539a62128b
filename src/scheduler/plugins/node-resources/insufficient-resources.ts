import type { NodeInfo } from "../../framework/node-info.ts";
import type { Resource } from "../../framework/resource.ts";
import { type Status, status } from "../../framework/status.ts";

/** Whether a resource of a node does not matter: it is ignored by configuration, or devices stand for it. */
export type IsIgnored = (name: string, node: NodeInfo) => boolean;

/**
 * Returns the insufficient resources of a node; undefined if a pod fits. It is unresolvable if an empty
 * node would be insufficient, too.
 */
export function insufficientResources(
  asked: Resource,
  node: NodeInfo,
  isIgnored: IsIgnored,
): Status | undefined {
  const { allocatable, requested } = node;
  const { milliCpu, memory, ephemeralStorage, scalars } = asked;
  const fits =
    node.pods.length < allocatable.allowedPods &&
    (milliCpu === 0 || milliCpu <= allocatable.milliCpu - requested.milliCpu) &&
    (memory === 0 || memory <= allocatable.memory - requested.memory) &&
    (ephemeralStorage === 0 ||
      ephemeralStorage <= allocatable.ephemeralStorage - requested.ephemeralStorage);
  if (fits && !scalars) return undefined;
  return lacking(asked, node, isIgnored);
}

function lacking(asked: Resource, node: NodeInfo, isIgnored: IsIgnored): Status | undefined {
  const { allocatable, requested } = node;
  const reasons: string[] = [];
  let isHopeless = false;
  if (node.pods.length + 1 > allocatable.allowedPods) reasons.push("Too many pods");
  const check = (name: string, amount: number): void => {
    if (amount === 0 || amount <= allocatable.of(name) - requested.of(name)) return;
    reasons.push(`Insufficient ${name}`);
    isHopeless ||= amount > allocatable.of(name);
  };
  check("cpu", asked.milliCpu);
  check("memory", asked.memory);
  check("ephemeral-storage", asked.ephemeralStorage);
  for (const [name, amount] of asked.scalars ?? []) if (!isIgnored(name, node)) check(name, amount);
  if (reasons.length === 0) return undefined;
  return known(isHopeless ? "UnschedulableAndUnresolvable" : "Unschedulable", reasons);
}

/** Caches statuses: thousands of nodes have the same one. */
function known(code: "UnschedulableAndUnresolvable" | "Unschedulable", reasons: string[]): Status {
  const key = `${code}\0${reasons.join("\0")}`;
  let one = statuses.get(key);
  if (!one) {
    one = { ...status(code, ...reasons), plugin: "NodeResourcesFit" };
    if (statuses.size >= mostStatuses) statuses.clear();
    statuses.set(key, one);
  }
  return one;
}

const statuses = new Map<string, Status>();
const mostStatuses = 1000;
