import { inline, listOf, named, strings } from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { namedString } from "../../../schema/language/type.ts";

/** The packages of the group's structs in OpenAPI. */
export const packageOf = (version: string): string => `io.k8s.api.admissionregistration.${version}`;

const Rule = struct("io.k8s.api.admissionregistration.v1.Rule", {
  apiGroups: strings(1).atomic().doc('The API groups; "*" for all.'),
  apiVersions: strings(2).atomic().doc('The API versions; "*" for all.'),
  resources: strings(3)
    .atomic()
    .doc('The resources, or "resource/subresource"; "*" stands for all of one or the other.'),
  scope: named(4, "v1.ScopeType")
    .pointer()
    .known("Cluster", "Namespaced", "*")
    .default("*")
    .doc("Whether objects of the cluster, of namespaces, or both are meant."),
});

export const RuleWithOperations = struct("io.k8s.api.admissionregistration.v1.RuleWithOperations", {
  operations: listOf(1, namedString("v1.OperationType"))
    .known("*", "CREATE", "UPDATE", "DELETE", "CONNECT")
    .atomic()
    .doc('What is done to the resources; "*" for all.'),
  ...inline(2, Rule),
}).doc("Which operations on which resources are meant.");
export interface RuleWithOperations extends Infer<typeof RuleWithOperations> {}

/** A rule that may name objects; one for each version, all alike. */
export const namedRuleWithOperations = (version: string) =>
  struct(`${packageOf(version)}.NamedRuleWithOperations`, {
    resourceNames: strings(1).atomic().doc("The names of the objects; all where there are none."),
    ...inline(2, RuleWithOperations),
  })
    .atomic()
    .doc("Which operations on which resources, and on which of their objects, are meant.");

export const NamedRuleWithOperations = namedRuleWithOperations("v1");
export interface NamedRuleWithOperations extends Infer<typeof NamedRuleWithOperations> {}
