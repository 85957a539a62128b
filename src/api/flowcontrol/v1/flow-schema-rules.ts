import { bool, list, message, named, string, strings } from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";

const prefix = "io.k8s.api.flowcontrol.v1";

export const UserSubject = struct(`${prefix}.UserSubject`, {
  name: string(1).always().expected().doc("The user, or * for every user."),
}).doc("A user whose requests are meant.");
export interface UserSubject extends Infer<typeof UserSubject> {}

export const GroupSubject = struct(`${prefix}.GroupSubject`, {
  name: string(1).always().expected().doc("The group, or * for every group."),
}).doc("A group whose requests are meant.");
export interface GroupSubject extends Infer<typeof GroupSubject> {}

export const ServiceAccountSubject = struct(`${prefix}.ServiceAccountSubject`, {
  namespace: string(1).always().expected().doc("The namespace of the accounts."),
  name: string(2).always().expected().doc("The account, or * for all of the namespace."),
}).doc("Service accounts whose requests are meant.");
export interface ServiceAccountSubject extends Infer<typeof ServiceAccountSubject> {}

export const Subject = struct(`${prefix}.Subject`, {
  kind: named(1, "v1.SubjectKind")
    .always()
    .expected()
    .known("User", "Group", "ServiceAccount")
    .doc("User, Group or ServiceAccount: which of the others is set."),
  user: message(2, UserSubject).doc("The user."),
  group: message(3, GroupSubject).doc("The group."),
  serviceAccount: message(4, ServiceAccountSubject).doc("The service accounts."),
}).doc("Who makes the requests that are meant.");
export interface Subject extends Infer<typeof Subject> {}

export const ResourcePolicyRule = struct(`${prefix}.ResourcePolicyRule`, {
  verbs: strings(1).always().expected().set().doc("What is asked for, or * for anything."),
  apiGroups: strings(2).always().expected().set().doc("Groups of resources, or * for all."),
  resources: strings(3).always().expected().set().doc("Resources, or * for all."),
  clusterScope: bool(4).doc("Whether requests without a namespace are meant too."),
  namespaces: strings(5).always().set().doc("Namespaces, or * for all."),
}).doc("Requests for resources.");
export interface ResourcePolicyRule extends Infer<typeof ResourcePolicyRule> {}

export const NonResourcePolicyRule = struct(`${prefix}.NonResourcePolicyRule`, {
  verbs: strings(1).always().expected().set().doc("What is asked for, or * for anything."),
  nonResourceURLs: strings(6)
    .always()
    .expected()
    .set()
    .doc("Paths, with /* at the end for all below; or * for all."),
}).doc("Requests for paths that are no resources.");
export interface NonResourcePolicyRule extends Infer<typeof NonResourcePolicyRule> {}

export const PolicyRulesWithSubjects = struct(`${prefix}.PolicyRulesWithSubjects`, {
  subjects: list(1, Subject)
    .always()
    .expected()
    .atomic()
    .doc("Who makes the requests: any of these."),
  resourceRules: list(2, ResourcePolicyRule).atomic().doc("Requests for resources."),
  nonResourceRules: list(3, NonResourcePolicyRule).atomic().doc("Other requests."),
}).doc("Requests that are meant, by who makes them and what for.");
export interface PolicyRulesWithSubjects extends Infer<typeof PolicyRulesWithSubjects> {}
