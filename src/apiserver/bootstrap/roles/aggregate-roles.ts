import { aggregatedRules } from "../../../api/rbac/v1/aggregated-rules.ts";
import type { ClusterRole } from "../../../api/rbac/v1/cluster-role.ts";
import type { PolicyRule } from "../../../api/rbac/v1/policy-rule.ts";
import { rbacGroup } from "../../../api/rbac/v1/role-ref.ts";
import { sameRule } from "../../../api/rbac/v1/same-rule.ts";
import { apply } from "../../../schema/apply/field-manager.ts";
import type { ReadonlyJsonMap } from "../../../schema/json/json-value.ts";
import { apiVersionOf } from "../../../schema/language/kind.ts";
import type { AnyKind, ApiObject, ObjectDraft } from "../../objects/object.ts";
import { canonical } from "../../objects/object.ts";
import type { RequestContext } from "../../objects/request-context.ts";
import { fieldWriter } from "../../verbs/patch/field-management.ts";
import { update } from "../../verbs/update.ts";
import type { VerbParts } from "../../verbs/verb-parts.ts";
import type { Placed } from "../own-work.ts";

/** Who is said to own the rules of such roles: the controller that keeps them later on. */
const fieldManager = "clusterrole-aggregation-controller";

/** The same objects; cluster roles that are made of others among them have their rules. */
export function withAggregatedRoles(parts: VerbParts, objects: readonly Placed[]): Placed[] {
  const kind = clusterRoleKind(parts);
  const roles = objects.filter(({ address }) => address.kind === kind).map(({ object }) => object);
  const rules = changedRules(roles as unknown as ClusterRole[]);
  return objects.map(({ address, object }) => {
    const own = address.kind === kind ? rules.get(address.name) : undefined;
    return {
      address,
      object: own ? withRules(parts, address.kind, { object, rules: own }) : object,
    };
  });
}

/** Sets the rules of all cluster roles that are made of others, where they are not right. */
export async function aggregateRoles(parts: VerbParts, context: RequestContext): Promise<void> {
  const kind = clusterRoleKind(parts);
  if (!kind) return;
  const cache = parts.reader.cache.of(kind);
  const roles = cache.readable(cache.prefix).map(({ object }) => object as unknown as ClusterRole);
  const changes = [...changedRules(roles)].map(([name, rules]) =>
    update(
      parts,
      {
        address: { kind, namespace: "", name },
        subresource: "",
        isPatch: true,
        isOwned: true,
        change: (existing) =>
          structuredClone(withRules(parts, kind, { object: existing, rules })) as ObjectDraft,
      },
      { ...context, fieldManager },
    ),
  );
  await Promise.all(changes);
}

const clusterRoleKind = ({ resources }: VerbParts): AnyKind | undefined =>
  resources.find(rbacGroup, "v1", "clusterroles");

/**
 * The rules of aggregated roles that are not right, by name. Such a role may be part of another: one
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

const sameRules = (a: readonly PolicyRule[], b: readonly PolicyRule[]): boolean =>
  a.length === b.length && a.every((rule, i) => sameRule(rule, b[i] as PolicyRule));

/** A role after such rules were applied to it. */
function withRules(
  parts: VerbParts,
  kind: AnyKind,
  { object, rules }: { readonly object: ApiObject | undefined; rules: readonly PolicyRule[] },
): ApiObject {
  const writer = fieldWriter(parts, { kind, subresource: "" }, { fieldManager });
  const { name = "" } = object?.metadata ?? {};
  const config = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: { name }, rules };
  const live = object as ReadonlyJsonMap | undefined;
  return canonical(
    kind,
    apply(writer, live, { config: config as unknown as ReadonlyJsonMap, force: true }),
  );
}
