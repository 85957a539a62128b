import { boolType } from "../../../cel/checking/cel-type.ts";
import { string } from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { isQualifiedName } from "../../../schema/values/names.ts";
import { createAdmissionCompiler, reportExpression } from "./admission-expression.ts";
import { packageOf } from "./rule.ts";

/** A condition on requests; one for each version, all alike. */
export const matchCondition = (version: string) =>
  struct(`${packageOf(version)}.MatchCondition`, {
    name: string(1).always().expected().doc("A name for the condition, for people and patches."),
    expression: string(2)
      .always()
      .expected()
      .doc("A CEL expression that is true of the requests that are meant."),
  }).doc("A condition that a request must meet to be looked at.");

export const MatchCondition = matchCondition("v1");
export interface MatchCondition extends Infer<typeof MatchCondition> {}

const maxConditions = 64;

/** The rules of match conditions: not too many, each with an expression that is true or false, and a name of its own. */
export function validateMatchConditions(
  conditions: readonly MatchCondition[] = [],
  at: At,
  { hasParams = false }: { readonly hasParams?: boolean } = {},
): void {
  const compiler = createAdmissionCompiler({ hasVariables: false });
  const names = new Set<string>();
  if (conditions.length > maxConditions) at.tooMany("", conditions.length, maxConditions);
  for (const [i, { name, expression }] of conditions.entries()) {
    const here = at.index(i);
    const trimmed = goTrim(expression);
    if (trimmed === "") here.required("expression");
    else {
      const compiled = compiler.compile(trimmed, [boolType], { hasParams, hasAuthorizer: true });
      reportExpression(here.child("expression"), trimmed, compiled);
    }
    if (!name) here.required("name");
    else {
      here.invalidEach("name", name, isQualifiedName(name));
      if (names.has(name)) here.duplicate("name", name);
      names.add(name);
    }
  }
}

/** Whether an expression says nothing. */
export const isBlank = (text: string | undefined): boolean => goTrim(text ?? "") === "";

/** A text without the white space around it, as Go sees white space. */
export const goTrim = (text: string): string =>
  text.replace(/^[\p{White_Space}]+|[\p{White_Space}]+$/gu, "");
