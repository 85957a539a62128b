import type { NamedRuleWithOperations } from "../../api/admissionregistration/v1/rule.ts";
import type { ValidatingAdmissionPolicy } from "../../api/admissionregistration/v1/validating-admission-policy.ts";
import type { ApiResource } from "../../client/discovery/server-apis.ts";

/** A kind in one version. */
export interface CheckedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A rule of a policy adds at most so many kinds. */
const mostKinds = 10;

/**
 * The kinds that the rules of a policy name, sorted. Rules with wildcards name too many; they are skipped,
 * as are subresources.
 */
export function typesToCheck(
  { spec }: ValidatingAdmissionPolicy,
  served: readonly ApiResource[],
): readonly CheckedKind[] {
  const found = new Map<string, CheckedKind>();
  for (const rule of spec.matchConstraints?.resourceRules ?? []) {
    const kinds = kindsOfRule(rule, served).slice(0, mostKinds);
    for (const kind of kinds) found.set(showKind(kind), kind);
    // A rule that names so many ends the search.
    if (kinds.length === mostKinds) break;
  }
  return [...found.values()].sort(
    (a, b) => compare(a.group, b.group) || compare(a.version, b.version) || compare(a.kind, b.kind),
  );
}

function kindsOfRule(rule: NamedRuleWithOperations, served: readonly ApiResource[]): CheckedKind[] {
  const { apiGroups = [], apiVersions = [] } = rule;
  if ([...apiGroups, ...apiVersions].some((text) => text.includes("*"))) return [];
  const resources = (rule.resources ?? []).filter((text) => !/[*/]/.test(text)).sort();
  const versions = [...apiVersions].sort();
  const names = [...apiGroups]
    .sort()
    .flatMap((group) => versions.map((version) => ({ group, version })))
    .flatMap((at) => resources.map((resource) => ({ ...at, resource })));
  return names.flatMap((name) =>
    served
      .filter((one) => isNamed(one, name))
      .map(({ group, version, kind }) => ({ group, version, kind })),
  );
}

/** A kind as warnings name it: `apps/v1, Kind=Deployment`. */
export const showKind = ({ group, version, kind }: CheckedKind): string =>
  `${group}/${version}, Kind=${kind}`;

/** Without a group, a resource is looked for in all of them, as clients do for names without a group. */
function isNamed(
  served: ApiResource,
  { group, version, resource }: Omit<CheckedKind, "kind"> & { readonly resource: string },
): boolean {
  const isOfGroup = group === "" || served.group === group;
  const isOfName = served.plural === resource || served.singular === resource;
  return isOfGroup && served.version === version && isOfName;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
