import { aggregatedRules } from "../../../api/rbac/v1/aggregated-rules.ts";
import { ClusterRole } from "../../../api/rbac/v1/cluster-role.ts";
import type { PolicyRule } from "../../../api/rbac/v1/policy-rule.ts";
import { sameRules } from "../../../api/rbac/v1/same-rule.ts";
import type { ApiObject } from "../../objects/object.ts";
import { anyKind } from "../../objects/reader.ts";
import type { FieldTracking } from "../../verbs/patch/field-management.ts";
import { forceApply } from "../../verbs/patch/force-apply.ts";
import type { OwnParts } from "../../verbs/writer.ts";

/** The field manager of the rules of such roles: the controller that updates them later. */
const fieldManager = "clusterrole-aggregation-controller";

/** The same objects, with the rules of all aggregated cluster roles among them. */
export function withAggregatedRoles(
  tracking: FieldTracking,
  objects: readonly ApiObject[],
): ApiObject[] {
  const roles = objects.filter(isClusterRole);
  const changed = changedRules(roles);
  const target = { kind: anyKind(ClusterRole), subresource: "" };
  return objects.map((object) => {
    const rules = isClusterRole(object) ? changed.get(object.metadata.name ?? "") : undefined;
    if (!rules) return object;
    return forceApply(tracking, target, { object, config: { rules }, fieldManager });
  });
}

const isClusterRole = (object: ApiObject): object is ApiObject & ClusterRole =>
  object.kind === "ClusterRole";

/** Corrects the rules of all aggregated cluster roles. */
export async function aggregateRoles({ reader, writer }: OwnParts): Promise<void> {
  const changed = changedRules(reader.listReadable(ClusterRole));
  const writes = Array.from(changed, ([name, rules]) =>
    writer.apply(ClusterRole, { name }, () => ({ rules }), { fieldManager }),
  );
  await Promise.all(writes);
}

/**
 * The rules of aggregated roles that must change, by name. Such a role may be part of another: one
 * round more than there are of them is enough for all.
 */
function changedRules(roles: readonly ClusterRole[]): ReadonlyMap<string, readonly PolicyRule[]> {
  const changed = new Map<string, readonly PolicyRule[]>();
  let now = roles;
  const aggregated = roles.filter(({ aggregationRule }) => aggregationRule);
  for (let round = 0; round <= aggregated.length; round++) {
    let isRight = true;
    for (const { metadata } of aggregated) {
      const role = now.find((other) => other.metadata.name === metadata.name) as ClusterRole;
      const rules = aggregatedRules(role, now);
      if (sameRules(rules, role.rules ?? [])) continue;
      isRight = false;
      changed.set(metadata.name ?? "", rules);
      now = now.map((other) => (other === role ? { ...role, rules } : other));
    }
    if (isRight) break;
  }
  return changed;
}
