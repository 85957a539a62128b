import { isReservedName } from "../../../cel/syntax/escape.ts";
import { string } from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { type AdmissionCompiler, reportExpression } from "./admission-expression.ts";
import { isBlank } from "./match-condition.ts";
import { packageOf } from "./rule.ts";

/** A variable of a policy; one for each version, merged field by field in the oldest. */
export function variable(version: string) {
  const declared = struct(`${packageOf(version)}.Variable`, {
    name: string(1)
      .always()
      .expected()
      .doc("An identifier; expressions find the value as variables.NAME."),
    expression: string(2).always().expected().doc("The CEL expression of its value."),
  }).doc("A value that the expressions of a policy share.");
  return version === "v1alpha1" ? declared : declared.atomic();
}

export const Variable = variable("v1");
export interface Variable extends Infer<typeof Variable> {}

/** The rules of variables: each has an expression that compiles, and a name that CEL can say. */
export function validateVariables(
  variables: readonly Variable[] = [],
  at: At,
  { compiler, hasParams }: { readonly compiler: AdmissionCompiler; readonly hasParams: boolean },
): void {
  for (const [i, { name, expression }] of variables.entries()) {
    const here = at.index(i);
    if (isBlank(name)) here.required("name", "name is not specified");
    else if (!isCelIdentifier(name)) here.invalid("name", name, "must be a valid CEL identifier");
    if (isBlank(expression)) here.required("expression", "expression is not specified");
    else {
      const compiled = compiler.addVariable(name, expression, { hasParams, hasAuthorizer: true });
      reportExpression(here.child("expression"), expression, compiled);
    }
  }
}

const isCelIdentifier = (name: string): boolean =>
  /^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) && !isReservedName(name);
