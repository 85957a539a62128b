import { isQualifiedName, isValidLabelValue } from "../../../../schema/values/names.ts";
import { compareUtf8 } from "../../../../schema/values/utf8-order.ts";

/** The labels that a kubelet may set on its own node, of those with a prefix of Kubernetes. */
const allowedLabels = [
  "beta.kubernetes.io/arch",
  "beta.kubernetes.io/instance-type",
  "beta.kubernetes.io/os",
  "failure-domain.beta.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone",
  "kubernetes.io/arch",
  "kubernetes.io/hostname",
  "kubernetes.io/os",
  "node.kubernetes.io/instance-type",
  "topology.kubernetes.io/region",
  "topology.kubernetes.io/zone",
];
const allowedPrefixes = ["kubelet.kubernetes.io", "node.kubernetes.io"];

/** What help says of these labels. */
export const nodeLabelNote = `in the namespace kubernetes.io, only those with the prefixes ${allowedPrefixes.join(" and ")}, and ${allowedLabels.join(", ")}`;

/** The problems of the labels that a node is registered with, in upstream's words. */
export function nodeLabelProblems(labels: Readonly<Record<string, string>>): readonly string[] {
  const unknown = Object.keys(labels).filter((key) => isOfKubernetes(key) && !isAllowed(key));
  if (unknown.length > 0)
    return [
      `unknown 'kubernetes.io' or 'k8s.io' labels specified with --node-labels: [${unknown.sort(compareUtf8).join(" ")}]\n--node-labels in the 'kubernetes.io' namespace must begin with an allowed prefix (${allowedPrefixes.join(", ")}) or be in the specifically allowed set (${allowedLabels.join(", ")})`,
    ];
  const invalid = Object.entries(labels).flatMap(([key, value]) =>
    [[key, isQualifiedName(key)] as const, [value, isValidLabelValue(value)] as const].flatMap(
      ([text, messages]) => (messages.length > 0 ? [`'${text}' - ${messages.join(", ")}`] : []),
    ),
  );
  return invalid.length > 0 ? [`invalid node labels: ${invalid.join("; ")}`] : [];
}

const prefixOf = (key: string): string => (key.includes("/") ? key.slice(0, key.indexOf("/")) : "");

const isBelow = (prefix: string, domain: string): boolean =>
  prefix === domain || prefix.endsWith(`.${domain}`);

const isOfKubernetes = (key: string): boolean =>
  ["kubernetes.io", "k8s.io"].some((domain) => isBelow(prefixOf(key), domain));

const isAllowed = (key: string): boolean =>
  allowedLabels.includes(key) || allowedPrefixes.some((prefix) => isBelow(prefixOf(key), prefix));
