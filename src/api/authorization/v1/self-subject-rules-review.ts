import { bool, list, string, strings, value } from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { pathSegmentName } from "../../../schema/values/names.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { badRequest } from "../../meta/v1/status-error.ts";

export const ResourceRule = struct("io.k8s.api.authorization.v1.ResourceRule", {
  verbs: strings(1).nullable().expected().atomic().doc("What may be done; * for everything."),
  apiGroups: strings(2).atomic().doc("The API groups of the resources; * for all."),
  resources: strings(3).atomic().doc("The resources; * for all, */foo for a subresource of all."),
  resourceNames: strings(4).atomic().doc("The names of the objects; all of them, if it is empty."),
}).doc("What may be done with some resources.");
export interface ResourceRule extends Infer<typeof ResourceRule> {}

export const NonResourceRule = struct("io.k8s.api.authorization.v1.NonResourceRule", {
  verbs: strings(1)
    .nullable()
    .expected()
    .atomic()
    .doc("The HTTP verbs that are allowed; * for all."),
  nonResourceURLs: strings(2).atomic().doc("The paths; a * may stand for the last step."),
}).doc("What may be done with some paths that are no resources.");
export interface NonResourceRule extends Infer<typeof NonResourceRule> {}

export const SelfSubjectRulesReviewSpec = struct(
  "io.k8s.api.authorization.v1.SelfSubjectRulesReviewSpec",
  { namespace: string(1).doc("The namespace that is asked about; it must be given.") },
).doc("The namespace that is asked about.");
export interface SelfSubjectRulesReviewSpec extends Infer<typeof SelfSubjectRulesReviewSpec> {}

export const SubjectRulesReviewStatus = struct(
  "io.k8s.api.authorization.v1.SubjectRulesReviewStatus",
  {
    resourceRules: list(1, ResourceRule)
      .nullable()
      .expected()
      .atomic()
      .doc("What the user may do with resources, in no certain order."),
    nonResourceRules: list(2, NonResourceRule)
      .nullable()
      .expected()
      .atomic()
      .doc("What the user may do with other paths, in no certain order."),
    incomplete: bool(3).always().expected().doc("Whether there may be rules that are not listed."),
    evaluationError: string(4).doc("What went wrong while the rules were sought."),
  },
).doc("What a user may do, as far as it can be listed.");
export interface SubjectRulesReviewStatus extends Infer<typeof SubjectRulesReviewStatus> {}

export const SelfSubjectRulesReview = kind({
  group: "authorization.k8s.io",
  version: "v1",
  kind: "SelfSubjectRulesReview",
  plural: "selfsubjectrulesreviews",
  scope: "Cluster",
  verbs: ["create"],
  isStored: false,
  doc: "Asks for all that the asking user may do in a namespace.",
  name: pathSegmentName,
  metadataRules: false,
  fields: {
    spec: value(2, SelfSubjectRulesReviewSpec).expected().doc("The namespace that is asked about."),
    status: value(3, SubjectRulesReviewStatus).doc("The answer."),
  },
  strategy: {
    prepare({ spec }) {
      if (!spec.namespace) throw badRequest("no namespace on request");
    },
  },
});
export interface SelfSubjectRulesReview extends ObjectOf<typeof SelfSubjectRulesReview> {}
