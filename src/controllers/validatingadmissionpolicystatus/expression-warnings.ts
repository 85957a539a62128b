import {
  createTypeChecker,
  type ExpressionType,
} from "../../api/admissionregistration/v1/type-checker.ts";
import type { ValidatingAdmissionPolicy } from "../../api/admissionregistration/v1/validating-admission-policy.ts";
import type { ExpressionWarning } from "../../api/admissionregistration/v1/validating-admission-policy-spec.ts";
import { type CheckedKind, showKind } from "./types-to-check.ts";

/** A kind that a policy is for, and its type. Undefined can be anything. */
export interface ObjectType {
  readonly kind: CheckedKind;
  readonly type: ExpressionType | undefined;
}

export interface PolicyTypes {
  readonly objects: readonly ObjectType[];
  /** Undefined if the policy has no parameters. */
  readonly params: { readonly type: ExpressionType | undefined } | undefined;
}

/** The warnings about the validations of a policy: what is wrong with them, for each kind of object. */
export function expressionWarnings(
  { spec }: ValidatingAdmissionPolicy,
  { objects, params }: PolicyTypes,
): readonly ExpressionWarning[] {
  const { variables = [], validations = [] } = spec;
  const checkers = objects.map(({ kind, type }) => ({
    kind,
    check: createTypeChecker({ object: type, params, variables }),
  }));
  const warningsOf = (fieldRef: string, expression: string): ExpressionWarning[] => {
    const faults = checkers.flatMap(({ kind, check }) => {
      const fault = check(expression);
      return fault === undefined ? [] : [`${showKind(kind)}: ${fault}\n`];
    });
    return faults.length === 0 ? [] : [{ fieldRef, warning: faults.join("\n") }];
  };
  return validations.flatMap(({ expression, messageExpression }, i) => [
    ...warningsOf(`spec.validations[${i}].expression`, expression),
    ...(messageExpression
      ? warningsOf(`spec.validations[${i}].messageExpression`, messageExpression)
      : []),
  ]);
}
