import { sameJson } from "../../../schema/json/json-value.ts";
import type { ObjectMeta } from "../../meta/v1/object-meta.ts";
import type { AggregationRule } from "./cluster-role.ts";
import { uncovered } from "./covers.ts";
import type { PolicyRule } from "./policy-rule.ts";
import type { RoleRef } from "./role-ref.ts";
import { sameRule } from "./same-rule.ts";
import type { Subject } from "./subject.ts";

/** A role of either kind, as far as it is kept right. */
export interface RoleLike {
  readonly metadata: ObjectMeta;
  readonly rules: readonly PolicyRule[];
  readonly aggregationRule?: AggregationRule | undefined;
}
/** A binding of either kind. */
export interface BindingLike {
  readonly metadata: ObjectMeta;
  readonly subjects?: readonly Subject[] | undefined;
  readonly roleRef: RoleRef;
}

const autoUpdate = "rbac.authorization.kubernetes.io/autoupdate";

/** Whether an object asks to be left as it is. */
export const isProtected = ({ metadata }: { readonly metadata: ObjectMeta }): boolean =>
  metadata.annotations?.[autoUpdate] === "false";

/**
 * A role with what it lacks of an expected one: labels, annotations, rules, selectors. What it has
 * beyond that stays, but for an aggregation that nobody expects. Undefined where it lacks nothing.
 */
export function reconciledRole(existing: RoleLike, expected: RoleLike): RoleLike | undefined {
  const metadata = reconciledMetadata(existing.metadata, expected.metadata);
  const missing = missingRules(existing.rules ?? [], expected.rules ?? []);
  const selectors = reconciledSelectors(existing.aggregationRule, expected.aggregationRule);
  if (!metadata && missing.length === 0 && !selectors) return undefined;
  const { aggregationRule, ...rest } = existing;
  const kept = selectors ? selectors.rule : aggregationRule;
  return {
    ...rest,
    ...(metadata && { metadata }),
    ...(missing.length > 0 && { rules: [...(existing.rules ?? []), ...missing] }),
    ...(kept && { aggregationRule: kept }),
  };
}

/** Mostly they are the same, which is seen sooner than that they cover each other. */
function missingRules(
  existing: readonly PolicyRule[],
  expected: readonly PolicyRule[],
): readonly PolicyRule[] {
  const isSame =
    existing.length === expected.length &&
    existing.every((rule, i) => sameRule(rule, expected[i] as PolicyRule));
  return isSame ? [] : uncovered(existing, expected);
}

/** What becomes of the aggregation; undefined where it stays as it is. */
function reconciledSelectors(
  existing: AggregationRule | undefined,
  expected: AggregationRule | undefined,
): { readonly rule: AggregationRule | undefined } | undefined {
  if (!expected) return existing && { rule: undefined };
  const known = existing?.clusterRoleSelectors ?? [];
  const missing = (expected.clusterRoleSelectors ?? []).filter(
    (selector) => !known.some((other) => sameJson(other, selector)),
  );
  if (missing.length === 0) return undefined;
  return { rule: { clusterRoleSelectors: [...known, ...missing] } };
}

/**
 * The same for a binding and its subjects; "another role" where it binds another one than expected,
 * which cannot be changed.
 */
export function reconciledBinding(
  existing: BindingLike,
  expected: BindingLike,
): BindingLike | "another role" | undefined {
  if (!sameJson(existing.roleRef, expected.roleRef)) return "another role";
  const metadata = reconciledMetadata(existing.metadata, expected.metadata);
  const known = existing.subjects ?? [];
  const missing = (expected.subjects ?? []).filter(
    (subject) => !known.some((other) => sameJson(other, subject)),
  );
  if (!metadata && missing.length === 0) return undefined;
  return {
    ...existing,
    ...(metadata && { metadata }),
    ...(missing.length > 0 && { subjects: [...known, ...missing] }),
  };
}

/** Labels and annotations that are there stay as they are; undefined where none is missing. */
function reconciledMetadata(existing: ObjectMeta, expected: ObjectMeta): ObjectMeta | undefined {
  const labels = { ...expected.labels, ...existing.labels };
  const annotations = { ...expected.annotations, ...existing.annotations };
  const isSame =
    size(labels) === size(existing.labels) && size(annotations) === size(existing.annotations);
  return isSame ? undefined : { ...existing, labels, annotations };
}

const size = (map: object | null | undefined): number => Object.keys(map ?? {}).length;
