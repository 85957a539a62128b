import type { FlowSchema } from "../../api/flowcontrol/v1/flow-schema.ts";
import type {
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  Subject,
} from "../../api/flowcontrol/v1/flow-schema-rules.ts";
import { mandatoryFlowSchemas } from "../../api/flowcontrol/v1/mandatory.ts";
import type { Attributes } from "../authorization/attributes.ts";
import type { User } from "../request/identity.ts";

/** A flow schema as requests need it. */
export type SchemaInUse = Pick<FlowSchema, "spec"> & {
  readonly metadata: { readonly name: string; readonly uid: string };
};

/**
 * The flow schemas in the order in which they are tried: by precedence, then by name. Those whose priority level does
 * not exist are left out; the mandatory ones are there even if they have been deleted.
 */
export function orderFlowSchemas(
  schemas: readonly FlowSchema[],
  hasLevel: (name: string) => boolean,
): readonly SchemaInUse[] {
  const used = schemas
    .filter(({ spec }) => hasLevel(spec.priorityLevelConfiguration.name))
    .map(({ metadata: { name = "", uid = "" }, spec }) => ({ metadata: { name, uid }, spec }))
    .sort(
      (a, b) =>
        a.spec.matchingPrecedence - b.spec.matchingPrecedence ||
        (a.metadata.name < b.metadata.name ? -1 : 1),
    );
  const missing = Object.entries(mandatoryFlowSchemas)
    .filter(([name]) => !used.some(({ metadata }) => metadata.name === name))
    .map(([name, spec]) => ({ metadata: { name, uid: "" }, spec }));
  return [
    ...missing.filter(({ metadata }) => metadata.name === "exempt"),
    ...used,
    ...missing.filter(({ metadata }) => metadata.name === "catch-all"),
  ];
}

/** A flow schema with those of its rules that are about a user. */
export interface SchemaOfUser {
  readonly schema: SchemaInUse;
  readonly rules: readonly PolicyRulesWithSubjects[];
}

/** The schemas that requests of a user can match, in their order, and the one named catch-all. */
export const schemasOfUser = (
  schemas: readonly SchemaInUse[],
  user: User,
): readonly SchemaOfUser[] =>
  schemas
    .map((schema) => ({
      schema,
      rules: (schema.spec.rules ?? []).filter(({ subjects }) =>
        subjects.some((subject) => matchesSubject(subject, user)),
      ),
    }))
    .filter(({ schema, rules }) => rules.length > 0 || schema.metadata.name === "catch-all");

/** The first schema that a request of the user matches; without any, the one named catch-all. */
export function matchFlowSchema(
  schemas: readonly SchemaOfUser[],
  attributes: Attributes,
): SchemaInUse {
  const matched = schemas.find(({ rules }) => rules.some((rule) => matchesRule(rule, attributes)));
  const found = matched ?? schemas.find(({ schema }) => schema.metadata.name === "catch-all");
  if (!found) throw new Error("there is no flow schema named catch-all");
  return found.schema;
}

/** What tells the flows of a schema apart: requests of one user, of one namespace, or all. */
export function flowDistinguisher({ spec }: SchemaInUse, { user, namespace }: Attributes): string {
  const { type } = spec.distinguisherMethod ?? {};
  if (type === "ByUser") return user.name;
  return type === "ByNamespace" ? namespace : "";
}

function matchesRule(rule: PolicyRulesWithSubjects, attributes: Attributes): boolean {
  return attributes.isResource
    ? (rule.resourceRules ?? []).some((wanted) => matchesResource(wanted, attributes))
    : (rule.nonResourceRules ?? []).some((wanted) => matchesPath(wanted, attributes));
}

function matchesSubject({ kind, user, group, serviceAccount }: Subject, caller: User): boolean {
  switch (kind) {
    case "User":
      return user !== undefined && (user.name === "*" || user.name === caller.name);
    case "Group":
      return group !== undefined && (group.name === "*" || caller.groups.includes(group.name));
    case "ServiceAccount": {
      if (!serviceAccount) return false;
      const prefix = `system:serviceaccount:${serviceAccount.namespace}:`;
      return serviceAccount.name === "*"
        ? caller.name.startsWith(prefix)
        : caller.name === prefix + serviceAccount.name;
    }
    default:
      return false;
  }
}

function matchesResource(rule: ResourcePolicyRule, attributes: Attributes): boolean {
  const { verb, resource, subresource, group, namespace } = attributes;
  const place = subresource === "" ? resource : `${resource}/${subresource}`;
  return (
    includes(rule.verbs, verb) &&
    includes(rule.resources, place) &&
    includes(rule.apiGroups, group) &&
    (namespace === "" ? rule.clusterScope === true : includes(rule.namespaces ?? [], namespace))
  );
}

const matchesPath = (rule: NonResourcePolicyRule, { verb, path }: Attributes): boolean =>
  includes(rule.verbs, verb) && rule.nonResourceURLs.some((wanted) => isBelow(wanted, path));

/** `/healthz` and `/healthz/*` match what is below as well. */
function isBelow(wanted: string, path: string): boolean {
  if (wanted === "*" || wanted === path) return true;
  const prefix = wanted.endsWith("*") ? wanted.slice(0, -1) : wanted;
  return path.startsWith(prefix.endsWith("/") ? prefix : `${prefix}/`);
}

/** `*` means all only where it stands alone. */
const includes = (values: readonly string[], value: string): boolean =>
  (values.length === 1 && values[0] === "*") || values.includes(value);
