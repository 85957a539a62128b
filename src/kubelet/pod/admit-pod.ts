import type { Node } from "../../api/core/v1/node/node.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { isExtendedResource } from "../../api/core/v1/resource-name.ts";
import { requiredNodeMatch } from "../../api/core/v1/scheduling/node-affinity-match.ts";
import { untoleratedTaint } from "../../api/core/v1/scheduling/taint-toleration.ts";
import { isCritical } from "./linux/critical-pod.ts";
import { amountOf, type NodeUse, useOf } from "./node-use.ts";
import { isStaticPod } from "./static-pod.ts";

/** Why a node rejects a pod. */
export interface Rejection {
  readonly reason: string;
  readonly message: string;
}

/**
 * Decides whether a node accepts a pod beside its other pods; undefined if it does. A critical pod that lacks resources
 * is not rejected for that: others end for it.
 */
export function admitPod(pod: Pod, node: Node, used: NodeUse): Rejection | undefined {
  return (
    rejectedByOs(pod, node) ??
    (isCritical(pod) ? undefined : lacking(pod, node, used)) ??
    unfit(pod, node, used)
  );
}

function rejectedByOs({ metadata, spec }: Pod, { status }: Node): Rejection | undefined {
  const os = status.nodeInfo?.operatingSystem || "linux";
  const label = metadata.labels?.["kubernetes.io/os"];
  if (label !== undefined && label !== os)
    return {
      reason: "PodOSSelectorNodeLabelDoesNotMatch",
      message: "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label",
    };
  if (spec.os && spec.os.name !== os)
    return {
      reason: "PodOSNotSupported",
      message: "Failed to admit pod as the OS field doesn't match node OS",
    };
  return undefined;
}

/** The request, usage and capacity of a resource that is insufficient. */
export interface Amounts {
  readonly name: string;
  readonly requested: number;
  readonly used: number;
  readonly capacity: number;
}

/** The first resource that is insufficient for a pod, and the message; undefined if all fit. */
export function lackOf(
  pod: Pod,
  node: Node,
  used: NodeUse,
): (Amounts & { readonly message: string }) | undefined {
  const [first] = lacksOf(pod, node, used);
  return first && withMessage(first);
}

/** All resources that are insufficient for a pod. */
export function lacksOf(pod: Pod, { status }: Node, used: NodeUse): readonly Amounts[] {
  const lacks: Amounts[] = [];
  const allocatable = status.allocatable ?? {};
  const most = amountOf("pods", allocatable.pods);
  if (used.pods + 1 > most)
    lacks.push({ name: "pods", requested: 1, used: used.pods, capacity: most });
  const wanted = [...useOf(pod.spec).amounts].sort(([a], [b]) => rank(a) - rank(b));
  for (const [name, requested] of wanted) {
    const isMissing = !Object.hasOwn(allocatable, name);
    // Extended resources that the node does not have may be provided otherwise.
    if (isMissing && isExtendedResource(name)) continue;
    const capacity = amountOf(name, allocatable[name]);
    const taken = used.amountOf(name);
    if (requested > 0 && requested > capacity - taken)
      lacks.push({ name, requested, used: taken, capacity });
  }
  return lacks;
}

function lacking(pod: Pod, node: Node, used: NodeUse): Rejection | undefined {
  const lack = lackOf(pod, node, used);
  return lack && { reason: `OutOf${lack.name}`, message: lack.message };
}

const order = ["cpu", "memory", "ephemeral-storage"];
const rank = (name: string): number =>
  (order.indexOf(name) + order.length + 1) % (order.length + 1);

function withMessage(amounts: Amounts): Amounts & { readonly message: string } {
  const { name, requested, used, capacity } = amounts;
  const numbers = `requested: ${requested}, used: ${used}, capacity: ${capacity}`;
  return { ...amounts, message: `Node didn't have enough resource: ${name}, ${numbers}` };
}

/** Checks the scheduling rules that kubelets enforce, too. */
function unfit(pod: Pod, node: Node, used: NodeUse): Rejection | undefined {
  const failed = (name: string, why: string): Rejection => ({
    reason: name,
    message: `Predicate ${name} failed: ${why}`,
  });
  if (!requiredNodeMatch(pod.spec)(node))
    return failed("NodeAffinity", "node(s) didn't match Pod's node affinity/selector");
  if ((pod.spec.nodeName ?? "") !== node.metadata.name)
    return failed("NodeName", "node(s) didn't match the requested node name");
  if (used.hasPortOf(pod))
    return failed("NodePorts", "node(s) didn't have free ports for the requested pod ports");
  const taints = (node.spec.taints ?? []).filter(({ effect }) => effect === "NoExecute");
  if (!isStaticPod(pod) && untoleratedTaint(taints, pod.spec.tolerations))
    return failed("TaintToleration", "node(s) had taints that the pod didn't tolerate");
  return undefined;
}
