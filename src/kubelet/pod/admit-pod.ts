import type { Node } from "../../api/core/v1/node.ts";
import { requiredNodeMatch } from "../../api/core/v1/node-affinity-match.ts";
import type { Pod } from "../../api/core/v1/pod.ts";
import { podRequests } from "../../api/core/v1/pod-requests.ts";
import { isExtendedResource } from "../../api/core/v1/resource-name.ts";
import { untoleratedTaint } from "../../api/core/v1/taint-toleration.ts";
import { parseQuantity, quantityMilliValue, quantityValue } from "../../schema/quantity.ts";
import { forbiddenSysctl } from "./forbidden-sysctl.ts";

/** Why a node does not take a pod. */
export interface Rejection {
  readonly reason: string;
  readonly message: string;
}

/** Whether a node takes a pod beside those that it has; undefined where it does. */
export function admitPod(pod: Pod, node: Node, others: readonly Pod[]): Rejection | undefined {
  return (
    forbiddenSysctl(pod) ??
    rejectedByOs(pod, node) ??
    lacking(pod, node, others) ??
    unfit(pod, node, others)
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

/** How much there is of something of which there is too little. */
export interface Amounts {
  readonly name: string;
  readonly requested: number;
  readonly used: number;
  readonly capacity: number;
}

/** What there is too little of for a pod, beside others, and what is said of it; undefined where there is enough. */
export function lackOf(
  pod: Pod,
  { status }: Node,
  others: readonly Pod[],
): (Amounts & { readonly message: string }) | undefined {
  const allocatable = status.allocatable ?? {};
  const most = amountOf("pods", allocatable.pods);
  if (others.length + 1 > most)
    return told({ name: "pods", requested: 1, used: others.length, capacity: most });
  const wanted = [...useOf(pod).amounts].sort(([a], [b]) => rank(a) - rank(b));
  for (const [name, requested] of wanted) {
    const isMissing = !Object.hasOwn(allocatable, name);
    // What no node has may be had from elsewhere.
    if (isMissing && isExtendedResource(name)) continue;
    const capacity = amountOf(name, allocatable[name]);
    const used = others.reduce((sum, other) => sum + (useOf(other).amounts.get(name) ?? 0), 0);
    if (requested > 0 && requested > capacity - used)
      return told({ name, requested, used, capacity });
  }
  return undefined;
}

function lacking(pod: Pod, node: Node, others: readonly Pod[]): Rejection | undefined {
  const lack = lackOf(pod, node, others);
  return lack && { reason: `OutOf${lack.name}`, message: lack.message };
}

const order = ["cpu", "memory", "ephemeral-storage"];
const rank = (name: string): number =>
  (order.indexOf(name) + order.length + 1) % (order.length + 1);

/** In thousandths of cores, and else in ones. */
function amountOf(name: string, text: string | undefined): number {
  if (text === undefined) return 0;
  const quantity = parseQuantity(text);
  return name === "cpu" ? quantityMilliValue(quantity) : quantityValue(quantity);
}

function told(amounts: Amounts): Amounts & { readonly message: string } {
  const { name, requested, used, capacity } = amounts;
  const numbers = `requested: ${requested}, used: ${used}, capacity: ${capacity}`;
  return { ...amounts, message: `Node didn't have enough resource: ${name}, ${numbers}` };
}

/** Whether a rule of scheduling speaks against it that a kubelet holds to as well. */
function unfit(pod: Pod, node: Node, others: readonly Pod[]): Rejection | undefined {
  const failed = (name: string, why: string): Rejection => ({
    reason: name,
    message: `Predicate ${name} failed: ${why}`,
  });
  if (!requiredNodeMatch(pod.spec)(node))
    return failed("NodeAffinity", "node(s) didn't match Pod's node affinity/selector");
  if ((pod.spec.nodeName ?? "") !== node.metadata.name)
    return failed("NodeName", "node(s) didn't match the requested node name");
  if (others.some((other) => sharePort(pod, other)))
    return failed("NodePorts", "node(s) didn't have free ports for the requested pod ports");
  const taints = (node.spec.taints ?? []).filter(({ effect }) => effect === "NoExecute");
  if (untoleratedTaint(taints, pod.spec.tolerations))
    return failed("TaintToleration", "node(s) had taints that the pod didn't tolerate");
  return undefined;
}

/** What a pod takes of a node. */
interface Use {
  readonly amounts: ReadonlyMap<string, number>;
  readonly ports: readonly HostPort[];
}

/** Asked for by every pod that comes after, so it is remembered. */
const uses = new WeakMap<Pod["spec"], Use>();

function useOf({ spec }: Pod): Use {
  let use = uses.get(spec);
  if (!use) {
    const requests = Object.entries(podRequests(spec));
    const amounts = new Map(requests.map(([name, text]) => [name, amountOf(name, text)]));
    use = { amounts, ports: hostPorts(spec) };
    uses.set(spec, use);
  }
  return use;
}

interface HostPort {
  readonly port: number;
  readonly protocol: string;
  readonly ip: string;
}

const sharePort = (a: Pod, b: Pod): boolean =>
  useOf(a).ports.some(({ ip, port, protocol }) =>
    useOf(b).ports.some(
      (other) =>
        other.port === port &&
        other.protocol === protocol &&
        (other.ip === ip || other.ip === anyAddress || ip === anyAddress),
    ),
  );

const anyAddress = "0.0.0.0";

const hostPorts = (spec: Pod["spec"]): readonly HostPort[] =>
  [...(spec.containers ?? []), ...(spec.initContainers ?? [])].flatMap(({ ports = [] }) =>
    ports
      .filter(({ hostPort = 0 }) => hostPort > 0)
      .map(({ hostPort = 0, hostIP, protocol }) => ({
        port: hostPort,
        protocol: protocol ?? "TCP",
        ip: hostIP || anyAddress,
      })),
  );
