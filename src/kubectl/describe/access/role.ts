import type { ClusterRole } from "../../../api/rbac/v1/cluster-role.ts";
import type { Role } from "../../../api/rbac/v1/role.ts";
import { goString } from "../../../schema/values/go-print.ts";
import { describedKinds } from "../described-kinds.ts";
import type { Description } from "../description.ts";
import { headLines } from "../metadata-lines.ts";
import { objectDescriber } from "../object-describer.ts";
import { type SimpleRule, simpleRules } from "./policy-rules.ts";

export const describeRole = objectDescriber(describedKinds.role, roleLines);
export const describeClusterRole = objectDescriber(describedKinds.clusterRole, roleLines);

function roleLines(d: Description, { metadata, rules }: Role | ClusterRole): void {
  headLines(d, metadata, false);
  d.line("PolicyRule:");
  d.columns(["Resources", "Non-Resource URLs", "Resource Names", "Verbs"], 1);
  for (const rule of simpleRules(rules ?? []))
    d.row(
      [
        resourceText(rule),
        goString(rule.nonResourceURLs),
        goString(rule.resourceNames),
        goString(rule.verbs),
      ],
      1,
    );
}

/** A resource with its group before its subresource: `deployments.apps/scale`. */
function resourceText({ resources, apiGroups }: SimpleRule): string {
  const [name = ""] = resources;
  const [group = ""] = apiGroups;
  const slash = name.indexOf("/");
  const [resource, subresource] =
    slash < 0 ? [name, ""] : [name.slice(0, slash), name.slice(slash)];
  return `${resource}${group === "" ? "" : `.${group}`}${subresource}`;
}
