import { list, message, string } from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import {
  FieldSelectorRequirement,
  validateFieldSelectorRequirement,
} from "../../meta/v1/field-selector-requirement.ts";
import { internalForm } from "../../meta/v1/internal-form.ts";
import {
  LabelSelectorRequirement,
  validateLabelSelectorRequirement,
} from "../../meta/v1/label-selector.ts";

export const FieldSelectorAttributes = struct(
  "io.k8s.api.authorization.v1.FieldSelectorAttributes",
  {
    rawSelector: string(1).doc("The selector as a query has it, for webhooks; we do not read it."),
    requirements: list(2, FieldSelectorRequirement)
      .atomic()
      .doc("The conditions of the selector; those that are not understood are left out."),
  },
).doc("Narrows a request by the fields of objects.");
export interface FieldSelectorAttributes extends Infer<typeof FieldSelectorAttributes> {}

export const LabelSelectorAttributes = struct(
  "io.k8s.api.authorization.v1.LabelSelectorAttributes",
  {
    rawSelector: string(1).doc("The selector as a query has it, for webhooks; we do not read it."),
    requirements: list(2, LabelSelectorRequirement)
      .atomic()
      .doc("The conditions of the selector; those that are not understood are left out."),
  },
).doc("Narrows a request by the labels of objects.");
export interface LabelSelectorAttributes extends Infer<typeof LabelSelectorAttributes> {}

export const ResourceAttributes = struct("io.k8s.api.authorization.v1.ResourceAttributes", {
  namespace: string(1).doc("The namespace; all of them, or none, if it is empty."),
  verb: string(2).doc("What is done: get, list, watch, create and so on, or * for all of it."),
  group: string(3).doc("The API group; * for all."),
  version: string(4).doc("The version of the group; * for all."),
  resource: string(5).doc("The resource; * for all."),
  subresource: string(6).doc("The subresource; empty for none."),
  name: string(7).doc("The name of the object; all of them, if it is empty."),
  fieldSelector: message(8, FieldSelectorAttributes).doc("Only objects with these fields."),
  labelSelector: message(9, LabelSelectorAttributes).doc("Only objects with these labels."),
}).doc("A request for a resource.");
export interface ResourceAttributes extends Infer<typeof ResourceAttributes> {}

export const NonResourceAttributes = struct("io.k8s.api.authorization.v1.NonResourceAttributes", {
  path: string(1).doc("The path of the request."),
  verb: string(2).doc("The HTTP verb, in lower case."),
}).doc("A request for a path that is no resource.");
export interface NonResourceAttributes extends Infer<typeof NonResourceAttributes> {}

export interface AccessSpec {
  readonly resourceAttributes?: ResourceAttributes | undefined;
  readonly nonResourceAttributes?: NonResourceAttributes | undefined;
}

/** Just one of the two kinds of requests is asked about. */
export function validateOneRequest(
  { resourceAttributes, nonResourceAttributes }: AccessSpec,
  at: At,
): void {
  if (resourceAttributes && nonResourceAttributes)
    at.invalid(
      "nonResourceAttributes",
      internalForm(NonResourceAttributes, nonResourceAttributes),
      "cannot be specified in combination with resourceAttributes",
    );
  if (!resourceAttributes && !nonResourceAttributes)
    at.invalid(
      "resourceAttributes",
      null,
      "exactly one of nonResourceAttributes or resourceAttributes must be specified",
    );
}

/** The rules of the selectors in a request for a resource. */
export function validateSelectors(attributes: ResourceAttributes | undefined, at: At): void {
  const { fieldSelector, labelSelector } = attributes ?? {};
  if (fieldSelector) {
    const here = at.child("fieldSelector");
    validateOneForm(fieldSelector, here);
    for (const [i, requirement] of (fieldSelector.requirements ?? []).entries())
      validateFieldSelectorRequirement(requirement, here.child("requirements").index(i));
  }
  if (labelSelector) {
    const here = at.child("labelSelector");
    validateOneForm(labelSelector, here);
    for (const [i, requirement] of (labelSelector.requirements ?? []).entries())
      validateLabelSelectorRequirement(requirement, here.child("requirements").index(i), {
        allowUnknownOperator: true,
      });
  }
}

function validateOneForm(
  { rawSelector = "", requirements = [] }: FieldSelectorAttributes | LabelSelectorAttributes,
  at: At,
): void {
  if (rawSelector !== "" && requirements.length > 0)
    at.invalid("rawSelector", rawSelector, "may not specified at the same time as requirements");
  if (rawSelector === "" && requirements.length === 0)
    at.required(
      "requirements",
      `when ${at.path} is specified, requirements or rawSelector is required`,
    );
}
