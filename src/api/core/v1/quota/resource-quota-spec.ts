import { list, listOf, message, named, strings } from "../../../../schema/language/field.ts";
import { type Infer, struct } from "../../../../schema/language/struct.ts";
import { namedString } from "../../../../schema/language/type.ts";
import { resourceList, roundUpResources } from "../resource-list.ts";

/** The kinds of objects that a quota can be restricted to. */
export const resourceQuotaScopes = [
  "Terminating",
  "NotTerminating",
  "BestEffort",
  "NotBestEffort",
  "PriorityClass",
  "CrossNamespacePodAffinity",
  "VolumeAttributesClass",
] as const;

export const ScopedResourceSelectorRequirement = struct(
  "io.k8s.api.core.v1.ScopedResourceSelectorRequirement",
  {
    scopeName: named(1, "v1.ResourceQuotaScope")
      .always()
      .expected()
      .known(...resourceQuotaScopes)
      .doc("The scope that is looked at."),
    operator: named(2, "v1.ScopeSelectorOperator")
      .always()
      .expected()
      .known("In", "NotIn", "Exists", "DoesNotExist")
      .doc("How the scope relates to the values."),
    values: strings(3)
      .atomic()
      .doc("At least one for In and NotIn; none for Exists and DoesNotExist."),
  },
).doc("One condition on the scope of an object.");
export interface ScopedResourceSelectorRequirement
  extends Infer<typeof ScopedResourceSelectorRequirement> {}

export const ScopeSelector = struct("io.k8s.api.core.v1.ScopeSelector", {
  matchExpressions: list(1, ScopedResourceSelectorRequirement)
    .atomic()
    .doc("Conditions that must be met, all of them."),
})
  .atomic()
  .doc("Selects objects by their scope.");
export interface ScopeSelector extends Infer<typeof ScopeSelector> {}

export const ResourceQuotaSpec = struct("io.k8s.api.core.v1.ResourceQuotaSpec", {
  hard: resourceList(1).doc("The most of each resource that may be used."),
  scopes: listOf(2, namedString("v1.ResourceQuotaScope"))
    .known(...resourceQuotaScopes)
    .atomic()
    .doc("Only objects in all of these scopes count. Never changes."),
  scopeSelector: message(3, ScopeSelector).doc("Only objects that it selects count."),
})
  .defaults(({ hard }) => roundUpResources(hard))
  .doc("What a namespace may use.");
export interface ResourceQuotaSpec extends Infer<typeof ResourceQuotaSpec> {}

export const ResourceQuotaStatus = struct("io.k8s.api.core.v1.ResourceQuotaStatus", {
  hard: resourceList(1).doc("The limits that are in force."),
  used: resourceList(2).doc("How much of each resource is used."),
})
  .defaults(({ hard, used }) => {
    roundUpResources(hard);
    roundUpResources(used);
  })
  .doc("What a namespace uses.");
export interface ResourceQuotaStatus extends Infer<typeof ResourceQuotaStatus> {}
