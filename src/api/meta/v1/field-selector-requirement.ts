import { named, string, strings } from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";

export const FieldSelectorRequirement = struct(
  "io.k8s.apimachinery.pkg.apis.meta.v1.FieldSelectorRequirement",
  {
    key: string(1).always().expected().doc("The field that is looked at."),
    operator: named(2, "v1.FieldSelectorOperator")
      .always()
      .expected()
      .known("In", "NotIn", "Exists", "DoesNotExist")
      .doc("How the field relates to the values."),
    values: strings(3)
      .atomic()
      .doc("At least one for In and NotIn; none for Exists and DoesNotExist."),
  },
).doc("One condition on the fields of an object.");
export interface FieldSelectorRequirement extends Infer<typeof FieldSelectorRequirement> {}

/** The rules of one condition; an operator that is not known passes, for the sake of newer clients. */
export function validateFieldSelectorRequirement(
  { key, operator, values = [] }: FieldSelectorRequirement,
  at: At,
): void {
  if (key === "") at.required("key", "must be specified");
  if (operator === "In" || operator === "NotIn") {
    if (values.length === 0)
      at.required("values", "must be specified when `operator` is 'In' or 'NotIn'");
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (values.length > 0)
      at.forbidden("values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
  }
}
