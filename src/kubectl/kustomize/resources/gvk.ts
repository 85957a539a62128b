import { isClusterScoped } from "../config/scopes.ts";

/** A group, a version and a kind; those that are empty select anything. */
export interface Gvk {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export const emptyGvk: Gvk = { group: "", version: "", kind: "" };

/** Splits an apiVersion at its first slash. */
export function parseApiVersion(apiVersion: string): { group: string; version: string } {
  const at = apiVersion.indexOf("/");
  if (at < 0) return { group: "", version: apiVersion };
  return { group: apiVersion.slice(0, at), version: apiVersion.slice(at + 1) };
}

export const apiVersionOf = ({ group, version }: Gvk): string =>
  group === "" ? version : `${group}/${version}`;

/** A kind as messages name it: `Deployment.v1.apps`. */
export const gvkText = ({ group, version, kind }: Gvk): string =>
  [kind || "[noKind]", version || "[noVer]", group || "[noGrp]"].join(".");

export const sameGvk = (a: Gvk, b: Gvk): boolean =>
  a.group === b.group && a.version === b.version && a.kind === b.kind;

/** Whether a kind has all that a selector names. */
export const isSelected = (gvk: Gvk, selector: Gvk): boolean =>
  (selector.group === "" || selector.group === gvk.group) &&
  (selector.version === "" || selector.version === gvk.version) &&
  (selector.kind === "" || selector.kind === gvk.kind);

/** Whether objects of a kind are known to have no namespace. */
export const hasNoNamespace = (gvk: Gvk): boolean => isClusterScoped(apiVersionOf(gvk), gvk.kind);

/** The order of kinds: namespaces and what others need first, webhooks last. */
export function compareGvk(a: Gvk, b: Gvk, ranks: ReadonlyMap<string, number> = kindRanks): number {
  const difference = (ranks.get(a.kind) ?? 0) - (ranks.get(b.kind) ?? 0);
  return difference === 0 ? compareTexts(sortText(a), sortText(b)) : difference;
}

const sortText = ({ group, version, kind }: Gvk): string =>
  `${group || "~G"}_${version || "~V"}_${kind || "~K"}`;

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Ranks of kinds that come before or after all others. */
export function ranksOf(
  first: readonly string[],
  last: readonly string[],
): ReadonlyMap<string, number> {
  const ranks = new Map<string, number>();
  for (const [i, kind] of first.entries()) ranks.set(kind, i - first.length);
  for (const [i, kind] of last.entries()) ranks.set(kind, i + 1);
  return ranks;
}

export const kindsFirst = [
  "Namespace",
  "ResourceQuota",
  "StorageClass",
  "CustomResourceDefinition",
  "ServiceAccount",
  "PodSecurityPolicy",
  "Role",
  "ClusterRole",
  "RoleBinding",
  "ClusterRoleBinding",
  "ConfigMap",
  "Secret",
  "Endpoints",
  "Service",
  "LimitRange",
  "PriorityClass",
  "PersistentVolume",
  "PersistentVolumeClaim",
  "Deployment",
  "StatefulSet",
  "CronJob",
  "PodDisruptionBudget",
] as const;

export const kindsLast = [
  "MutatingWebhookConfiguration",
  "ValidatingWebhookConfiguration",
] as const;

const kindRanks = ranksOf(kindsFirst, kindsLast);
