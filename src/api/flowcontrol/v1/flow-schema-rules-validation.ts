import type { At } from "../../../schema/language/report.ts";
import { nameIsDnsLabel, nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import type {
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  ServiceAccountSubject,
  Subject,
} from "./flow-schema-rules.ts";

/** The rules of what a flow schema matches. */
export function validatePolicyRulesWithSubjects(rule: PolicyRulesWithSubjects, at: At): void {
  const { resourceRules = [], nonResourceRules = [] } = rule;
  const subjects = rule.subjects ?? [];
  for (const [i, subject] of subjects.entries())
    validateSubject(subject, at.child("subjects").index(i));
  if (subjects.length === 0) at.required("subjects", "subjects must contain at least one value");
  if (resourceRules.length === 0 && nonResourceRules.length === 0)
    at.required("", "at least one of resourceRules and nonResourceRules has to be non-empty");
  for (const [i, inner] of resourceRules.entries())
    validateResourceRule(inner, at.child("resourceRules").index(i));
  for (const [i, inner] of nonResourceRules.entries())
    validateNonResourceRule(inner, at.child("nonResourceRules").index(i));
}

/** What is set for each kind of subject, in the order in which the others are refused. */
const members = [
  ["ServiceAccount", "serviceAccount"],
  ["User", "user"],
  ["Group", "group"],
] as const;

function validateSubject(subject: Subject, at: At): void {
  const own = members.find(([kind]) => kind === subject.kind);
  if (!own) {
    at.notSupported("kind", subject.kind, ["Group", "ServiceAccount", "User"]);
    return;
  }
  const [kind, member] = own;
  const value = subject[member];
  if (!value) at.required(member, `${member} is required when subject kind is '${kind}'`);
  else if ("namespace" in value) validateServiceAccount(value, at.child(member));
  else if (value.name === "") at.required(`${member}.name`);
  for (const [otherKind, other] of members)
    if (other !== member && subject[other])
      at.forbidden(other, `${other} is forbidden when subject kind is not '${otherKind}'`);
}

function validateServiceAccount({ name, namespace }: ServiceAccountSubject, at: At): void {
  if (name === "") at.required("name");
  else if (name !== "*") at.invalidEach("name", name, nameIsDnsSubdomain(name));
  if (namespace === "") at.required("namespace", "must specify namespace for service account");
  else at.invalidEach("namespace", namespace, nameIsDnsLabel(namespace));
}

const verbs = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "proxy",
  "update",
  "watch",
];

function validateResourceRule(rule: ResourcePolicyRule, at: At): void {
  validateVerbs(rule.verbs ?? [], at);
  validateNames(rule.apiGroups ?? [], at, { field: "apiGroups", one: "api group" });
  validateNames(rule.resources ?? [], at, { field: "resources", one: "resource" });
  const namespaces = rule.namespaces ?? [];
  if (namespaces.length === 0 && !rule.clusterScope)
    at.required(
      "namespaces",
      "resource rules that are not cluster scoped must supply at least one namespace",
    );
  else if (namespaces.includes("*")) validateLoneWildcard("namespaces", namespaces, at);
  else
    for (const [i, namespace] of namespaces.entries())
      for (const message of nameIsDnsLabel(namespace))
        at.invalid(
          `namespaces[${i}]`,
          namespace,
          `each member of this list must be '*' or a DNS-1123 label; ${message}`,
        );
}

function validateNonResourceRule(rule: NonResourcePolicyRule, at: At): void {
  validateVerbs(rule.verbs ?? [], at);
  const paths = rule.nonResourceURLs ?? [];
  if (paths.length === 0)
    at.required("nonResourceURLs", "nonResourceURLs must contain at least one value");
  else if (paths.includes("*"))
    validateLoneWildcard("nonResourceURLs", paths, at, "non-resource URLs");
  else
    for (const [i, path] of paths.entries()) {
      const problem = pathProblem(path);
      if (problem !== undefined) at.invalid(`nonResourceURLs[${i}]`, path, problem);
    }
}

function validateVerbs(values: readonly string[], at: At): void {
  if (values.length === 0) at.required("verbs", "verbs must contain at least one value");
  else if (values.includes("*")) validateLoneWildcard("verbs", values, at);
  else if (!values.every((verb) => verbs.includes(verb))) at.notSupported("verbs", values, verbs);
}

function validateNames(
  values: readonly string[],
  at: At,
  { field, one }: { readonly field: string; readonly one: string },
): void {
  if (values.length === 0) at.required(field, `resource rules must supply at least one ${one}`);
  else if (values.includes("*")) validateLoneWildcard(field, values, at, `${one}s`);
}

function validateLoneWildcard(
  field: string,
  values: readonly string[],
  at: At,
  others: string = field,
): void {
  if (values.length > 1)
    at.invalid(field, values, `if '*' is present, must not specify other ${others}`);
}

function pathProblem(path: string): string | undefined {
  if (path === "") return "must not be empty";
  if (path === "/") return undefined;
  if (!path.startsWith("/")) return "must start with slash";
  if (path.includes(" ")) return "must not contain white-space";
  if (path.includes("//")) return "must not contain double slash";
  const wildcards = path.split("*").length - 1;
  if (wildcards > 1 || (wildcards === 1 && !path.endsWith("/*")))
    return "wildcard can only do suffix matching";
  return undefined;
}
