import { Node } from "../../../api/core/v1/node/node.ts";
import { sameJson } from "../../../schema/json/json-value.ts";
import { quote } from "../../../schema/values/quote.ts";
import { compareUtf8 } from "../../../schema/values/utf8-order.ts";
import { objectOf, oldOf } from "../typed-attributes.ts";
import type { NodeRule } from "./node-restriction.ts";

/** A node may write itself, but nothing by which it would attract pods that are meant for others. */
export const ownNode: NodeRule = ({ node, attributes }) => {
  const { operation, address } = attributes;
  if (address.name !== node)
    return `node ${quote(node)} is not allowed to modify node ${quote(address.name)}`;
  if (operation === "CREATE") return creationFault(node, objectOf(Node, attributes));
  if (operation === "UPDATE")
    return updateFault(node, objectOf(Node, attributes), oldOf(Node, attributes));
  return undefined;
};

function creationFault(name: string, { metadata, spec }: Node): string | undefined {
  // Upstream says pods.
  if (spec?.configSource)
    return `node ${quote(name)} is not allowed to create pods with a non-nil configSource`;
  const labels = restrictedLabels(metadata.labels, undefined);
  return labels.length > 0
    ? `node ${quote(name)} is not allowed to set the following labels: ${labels.join(", ")}`
    : undefined;
}

function updateFault(name: string, now: Node, old: Node): string | undefined {
  const not = (what: string): string => `node ${quote(name)} is not allowed to ${what}`;
  const [spec, before] = [now.spec ?? {}, old.spec ?? {}];
  // Old kubelets drop the field.
  if (spec.configSource && !sameJson(spec.configSource, before.configSource))
    return not("update configSource to a new non-nil configSource");
  if (!sameJson(spec.taints ?? [], before.taints ?? [])) return not("modify taints");
  if (!sameJson(now.metadata.ownerReferences ?? [], old.metadata.ownerReferences ?? []))
    return not("modify ownerReferences");
  const labels = restrictedLabels(now.metadata.labels, old.metadata.labels);
  return labels.length > 0 ? `is not allowed to modify labels: ${labels.join(", ")}` : undefined;
}

type Labels = Readonly<Record<string, string>>;

/** The labels that differ and that a node may not set itself, in order. */
function restrictedLabels(now: Labels = {}, old: Labels = {}): readonly string[] {
  const keys = new Set([...Object.keys(now), ...Object.keys(old)]);
  return [...keys].filter((key) => now[key] !== old[key] && isRestricted(key)).sort(compareUtf8);
}

function isRestricted(key: string): boolean {
  const domain = key.includes("/") ? key.slice(0, key.indexOf("/")) : "";
  const isIn = (...parents: readonly string[]): boolean =>
    parents.some((parent) => domain === parent || domain.endsWith(`.${parent}`));
  if (isIn("node-restriction.kubernetes.io")) return true;
  if (!isIn("kubernetes.io", "k8s.io")) return false;
  return !ownLabels.includes(key) && !isIn("kubelet.kubernetes.io", "node.kubernetes.io");
}

/** Labels of Kubernetes that kubelets set on their nodes. */
const ownLabels = [
  "kubernetes.io/hostname",
  "topology.kubernetes.io/zone",
  "topology.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region",
  "beta.kubernetes.io/instance-type",
  "node.kubernetes.io/instance-type",
  "kubernetes.io/os",
  "kubernetes.io/arch",
  "beta.kubernetes.io/os",
  "beta.kubernetes.io/arch",
];
