import type { PolicyRule } from "../../../../api/rbac/v1/policy-rule.ts";
import type { DynamicObject } from "../../../../client/resource-kind.ts";
import { sameJson } from "../../../../schema/json/json-value.ts";
import { uncoveredRules } from "./rule-coverage.ts";

/** A role, a binding, or one for the whole cluster. */
export interface AccessObject extends DynamicObject {
  readonly rules?: readonly PolicyRule[] | null;
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly object[] | null } | null;
  readonly roleRef?: object;
  readonly subjects?: readonly Subject[] | null;
}

export interface Subject {
  readonly kind?: string;
  readonly apiGroup?: string;
  readonly name?: string;
  readonly namespace?: string;
}

export type Operation = "create" | "update" | "recreate" | "none";

/** What has to be done, so that an object is as expected. */
export interface Reconciliation {
  readonly object: AccessObject;
  readonly operation: Operation;
  /** Whether the object on the server opted out. */
  readonly isProtected: boolean;
  readonly missingRules: readonly PolicyRule[];
  readonly extraRules: readonly PolicyRule[];
  readonly missingSubjects: readonly Subject[];
  readonly extraSubjects: readonly Subject[];
}

const nothing = {
  isProtected: false,
  missingRules: [],
  extraRules: [],
  missingSubjects: [],
  extraSubjects: [],
} as const;

/** The annotation by which an object opts out. */
const autoUpdate = "rbac.authorization.kubernetes.io/autoupdate";

/** What has to be done for an object that does not exist. */
export function creation(expected: AccessObject): Reconciliation {
  return {
    ...nothing,
    object: expected,
    operation: "create",
    missingRules: expected.rules ?? [],
    missingSubjects: expected.subjects ?? [],
  };
}

export interface Objects {
  readonly existing: AccessObject;
  readonly expected: AccessObject;
  /** Whether what is not expected is removed. */
  readonly removesExtra: boolean;
}

/** What has to be done for a role that exists. */
export function roleChange({ existing, expected, removesExtra }: Objects): Reconciliation {
  const start = metadataChange(existing, expected);
  const rules = existing.rules ?? [];
  const wanted = expected.rules ?? [];
  const bothAggregated = Boolean(expected.aggregationRule && existing.aggregationRule);
  const extraRules = bothAggregated ? [] : uncoveredRules(wanted, rules);
  const missingRules = uncoveredRules(rules, wanted);
  let { object, operation } = start;
  if (missingRules.length > 0 || (removesExtra && extraRules.length > 0)) {
    object = { ...object, rules: removesExtra ? wanted : [...rules, ...missingRules] };
    operation = "update";
  }
  const aggregated = aggregationChange({ existing, expected, removesExtra });
  if (aggregated) {
    object = { ...object, ...aggregated };
    operation = "update";
  }
  return { ...start, object, operation, missingRules, extraRules };
}

function aggregationChange({
  existing,
  expected,
  removesExtra,
}: Objects): Pick<AccessObject, "aggregationRule"> | undefined {
  const before = existing.aggregationRule;
  const wanted = expected.aggregationRule;
  if (!wanted) return before ? { aggregationRule: undefined as unknown as null } : undefined;
  const selectors = before?.clusterRoleSelectors ?? [];
  const wantedSelectors = wanted.clusterRoleSelectors ?? [];
  const missing = without(wantedSelectors, before ? selectors : []);
  const extra = without(selectors, wantedSelectors);
  if (removesExtra)
    return missing.length > 0 || extra.length > 0 ? { aggregationRule: wanted } : undefined;
  if (missing.length === 0) return undefined;
  return { aggregationRule: { ...before, clusterRoleSelectors: [...selectors, ...missing] } };
}

/** What has to be done for a binding that exists. */
export function bindingChange({ existing, expected, removesExtra }: Objects): Reconciliation {
  const start = metadataChange(existing, expected);
  // The role of a binding cannot be changed.
  if (!sameJson(expected.roleRef, existing.roleRef))
    return { ...start, object: expected, operation: "recreate" };
  const subjects = existing.subjects ?? [];
  const wanted = expected.subjects ?? [];
  const missingSubjects = without(wanted, subjects);
  const extraSubjects = without(subjects, wanted);
  if (missingSubjects.length === 0 && !(removesExtra && extraSubjects.length > 0))
    return { ...start, missingSubjects, extraSubjects };
  return {
    ...start,
    object: {
      ...start.object,
      subjects: removesExtra ? wanted : [...subjects, ...missingSubjects],
    },
    operation: "update",
    missingSubjects,
    extraSubjects,
  };
}

/** The items of a list that another does not have, each once. */
function without<T>(items: readonly T[], others: readonly T[]): T[] {
  const left: T[] = [];
  for (const item of items)
    if (![...others, ...left].some((one) => sameJson(one, item))) left.push(item);
  return left;
}

/** The existing object with the labels and annotations that it does not have. */
function metadataChange(existing: AccessObject, expected: AccessObject): Reconciliation {
  const { annotations, labels } = existing.metadata;
  const merged = {
    annotations: mergedMap(expected.metadata.annotations, annotations),
    labels: mergedMap(expected.metadata.labels, labels),
  };
  const isSame = sameJson(merged.annotations, annotations) && sameJson(merged.labels, labels);
  const metadata = {
    ...existing.metadata,
    ...(merged.annotations && { annotations: merged.annotations }),
    ...(merged.labels && { labels: merged.labels }),
  };
  return {
    ...nothing,
    object: { ...existing, metadata },
    operation: isSame ? "none" : "update",
    isProtected: annotations?.[autoUpdate] === "false",
  };
}

function mergedMap(
  expected: Readonly<Record<string, string>> | undefined,
  existing: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> | undefined {
  return expected || existing ? { ...expected, ...existing } : undefined;
}
