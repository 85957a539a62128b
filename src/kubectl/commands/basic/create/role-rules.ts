import { stringArrayFlag, stringsFlag, type Values } from "../../../../cli/flag.ts";
import { NoMatchError } from "../../../../client/discovery/mapping-errors.ts";
import type { RestMapper } from "../../../../client/discovery/rest-mapper.ts";
import { quote } from "../../../../schema/values/quote.ts";
import { compareUtf8 } from "../../../../schema/values/utf8-order.ts";
import { ExitError } from "../../../program/command-error.ts";
import type { Io } from "../../../program/io.ts";

/** The flags of a rule for resources. */
export const ruleFlags = {
  verb: stringsFlag({ usage: "A verb of the rule" }),
  resource: stringsFlag({ usage: "A resource to which the rule applies" }),
  "resource-name": stringArrayFlag({
    usage: "The name of an object to which the rule applies; may be repeated",
  }),
};

/** A rule as the flags say it. */
export interface RuleParts {
  readonly verbs: readonly string[];
  readonly resources: readonly NamedResource[];
  readonly resourceNames: readonly string[];
}

interface NamedResource {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
}

/** What the flags of a rule say, each only once; `*` replaces all others. */
export function ruleParts(flags: Values<typeof ruleFlags>): RuleParts {
  const resources: NamedResource[] = [];
  for (const text of flags.resource) {
    const named = namedResource(text);
    if (text === "*") return { ...partsWith(flags), resources: [named] };
    resources.push(named);
  }
  return { ...partsWith(flags), resources };
}

function partsWith(flags: Values<typeof ruleFlags>): Omit<RuleParts, "resources"> {
  return {
    verbs: flags.verb.includes("*") ? ["*"] : [...new Set(flags.verb)],
    resourceNames: [...new Set(flags["resource-name"])],
  };
}

function namedResource(text: string): NamedResource {
  const [, name = "", , subresource = ""] = /^([^/]*)(\/(.*))?$/s.exec(text) ?? [];
  const dot = name.indexOf(".");
  return dot < 0
    ? { resource: name, group: "", subresource }
    : { resource: name.slice(0, dot), group: name.slice(dot + 1), subresource };
}

/** Warns of verbs that are unusual for resources. */
export function warnOfVerbs({ verbs }: RuleParts, io: Pick<Io, "stderr">): void {
  for (const verb of verbs)
    if (!resourceVerbs.includes(verb))
      io.stderr.write(`Warning: '${verb}' is not a standard resource verb\n`);
}

const resourceVerbs = [
  "*",
  "get",
  "delete",
  "list",
  "create",
  "update",
  "patch",
  "watch",
  "proxy",
  "deletecollection",
  "use",
  "bind",
  "escalate",
  "impersonate",
];

/** The resources of verbs that exist for few of them, as `resource.group`. */
const specialVerbs: Readonly<Record<string, readonly string[]>> = {
  use: ["podsecuritypolicies.policy", "podsecuritypolicies.extensions"],
  bind: ["roles.rbac.authorization.k8s.io", "clusterroles.rbac.authorization.k8s.io"],
  escalate: ["roles.rbac.authorization.k8s.io", "clusterroles.rbac.authorization.k8s.io"],
  impersonate: ["users.", "serviceaccounts.", "groups.", "userextras.authentication.k8s.io"],
};

/** Throws for resources that the server does not know, and for verbs that do not fit. */
export async function checkResources(
  { verbs, resources }: RuleParts,
  mapper: RestMapper,
): Promise<void> {
  for (const named of resources) {
    if (named.resource === "")
      throw new Error("resource must be specified if apiGroup/subresource specified");
    if (named.resource === "*") return;
    const { resource, group, error } = await resolved(named, mapper);
    let isSpecial = false;
    for (const verb of verbs) {
      const allowed = Object.hasOwn(specialVerbs, verb) ? specialVerbs[verb] : undefined;
      if (allowed === undefined) continue;
      if (!allowed.includes(`${resource}.${group}`))
        throw new Error(`can not perform '${verb}' on '${resource}' in group '${group}'`);
      isSpecial = true;
    }
    if (error !== undefined && !isSpecial) throw unknownResource(error, named);
  }
}

/** The original prints this error without a prefix. */
function unknownResource(error: unknown, { resource, group }: NamedResource): unknown {
  if (!(error instanceof NoMatchError)) return error;
  const place = group === "" ? "" : ` in group ${quote(group)}`;
  return new ExitError(1, `the server doesn't have a resource type ${quote(resource)}${place}`);
}

/** The rules for resources: one for each group, in the order of their names. */
export async function resourceRules(
  { verbs, resources, resourceNames }: RuleParts,
  mapper: RestMapper,
): Promise<readonly object[]> {
  const groups = new Map<string, string[]>();
  for (const named of resources) {
    const { resource, group } = await resolved(named, mapper);
    const name = named.subresource === "" ? resource : `${resource}/${named.subresource}`;
    const names = groups.get(group) ?? [];
    groups.set(group, names.includes(name) ? names : [...names, name]);
  }
  return [...groups.keys()].sort(compareUtf8).map((group) => ({
    verbs,
    apiGroups: [group],
    resources: groups.get(group),
    ...(resourceNames.length > 0 && { resourceNames }),
  }));
}

/** The resource as the server calls it; as it was typed, with an error, if the server does not know it. */
async function resolved(
  { resource, group }: NamedResource,
  mapper: RestMapper,
): Promise<{ readonly resource: string; readonly group: string; readonly error: unknown }> {
  try {
    const found = await mapper.named(group === "" ? resource : `${resource}.${group}`);
    return { resource: found.plural, group: found.group, error: undefined };
  } catch (error) {
    return { resource, group, error };
  }
}
