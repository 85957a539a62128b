import { aggregatedRules } from "../../api/rbac/v1/aggregated-rules.ts";
import { ClusterRole } from "../../api/rbac/v1/cluster-role.ts";
import { sameRules } from "../../api/rbac/v1/same-rule.ts";
import { keyOf } from "../../client/resource-kind.ts";
import { controller } from "../../controller-runtime/reconcile/controller.ts";

const name = "clusterrole-aggregation-controller";

/** Keeps the rules of aggregated cluster roles those of the roles that their selectors choose. */
export const clusterRoleAggregationController = controller({
  name,
  for: ClusterRole,
  predicates: [({ type, object }) => type !== "deleted" && object.aggregationRule !== undefined],
  watches: [
    {
      kind: ClusterRole,
      // A change of labels or rules may concern any aggregated role. There are few.
      map: async (_role: ClusterRole, { cache }) =>
        (await cache.list(ClusterRole)).filter(({ aggregationRule }) => aggregationRule).map(keyOf),
      mapKey: () => "",
    },
  ],
  concurrency: 5,
  async reconcile(key, { cache, client, signal }) {
    const role = await cache.get(ClusterRole, key);
    if (!role?.aggregationRule) return;
    const rules = aggregatedRules(role, await cache.list(ClusterRole));
    if (sameRules(rules, role.rules ?? [])) return;
    const wanted = { metadata: { name: key.name }, ...(rules.length > 0 && { rules }) };
    await client.apply(ClusterRole, wanted, { fieldManager: name, force: true, signal });
  },
});
