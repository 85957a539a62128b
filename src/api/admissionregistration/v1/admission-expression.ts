import {
  type CelType,
  dynType,
  isSameType,
  showDeclaredType,
  stringType,
  structType,
  unspecifiedType,
} from "../../../cel/checking/cel-type.ts";
import type { CheckedExpression } from "../../../cel/checking/check-expression.ts";
import {
  type DeclType,
  declDyn,
  declFromType,
  declObject,
} from "../../../cel/checking/decl-type.ts";
import { readFunctions } from "../../../cel/checking/declaration.ts";
import {
  baseEnvironment,
  type Environment,
  extendEnvironment,
} from "../../../cel/checking/environment.ts";
import { compile } from "../../../cel/compile.ts";
import { planFault } from "../../../cel/plan-fault.ts";
import type { At } from "../../../schema/language/report.ts";
import { namespaceType, requestType } from "./admission-types.ts";

/** What an expression may name beside the object and the request. */
export interface ExpressionScope {
  readonly hasParams: boolean;
  readonly hasAuthorizer: boolean;
  /** `Object` and `JSONPatch`, of which changes are made. */
  readonly hasPatchTypes?: boolean;
}

/** What is wrong with an expression: with what it says, or with making a program of it. */
export type ExpressionFault =
  | { readonly invalid: string }
  | { readonly internal: string }
  | undefined;

/** Compiles the expressions of a policy or of a webhook. */
export interface AdmissionCompiler {
  /** What is wrong with an expression whose value must be of one of these types. */
  fault(expression: string, returns: readonly CelType[], scope: ExpressionScope): ExpressionFault;
  /** Lets the expressions that follow name the value of this one; what is wrong with it. */
  addVariable(name: string, expression: string, scope: ExpressionScope): ExpressionFault;
}

/** Reports what is wrong with an expression, if something is. */
export function reportExpression(at: At, expression: string, fault: ExpressionFault): void {
  if (fault === undefined) return;
  if ("invalid" in fault) at.invalid("", expression, fault.invalid);
  else at.internal("", fault.internal);
}

/**
 * A compiler of expressions. With `hasVariables` the value of one can be named by those that
 * follow; its type is known to them, or if it does not compile, it is any.
 */
export function createAdmissionCompiler({
  hasVariables,
}: {
  readonly hasVariables: boolean;
}): AdmissionCompiler {
  const variables = new Map<string, DeclType>();
  const environments = hasVariables ? new Map<string, Environment>() : shared;
  return { fault, addVariable };

  function fault(
    expression: string,
    returns: readonly CelType[],
    scope: ExpressionScope,
  ): ExpressionFault {
    const compiled = compileIn(expression, scope);
    if ("error" in compiled) return { invalid: `compilation failed: ${compiled.error}` };
    if (returns.some((type) => isSameType(type, compiled.type))) return programFault(compiled);
    const wanted = returns.map(showDeclaredType);
    const choice = wanted.length === 1 ? wanted.join("") : `one of [${wanted.join(" ")}]`;
    return { invalid: `must evaluate to ${choice} but got ${showDeclaredType(compiled.type)}` };
  }

  function addVariable(name: string, expression: string, scope: ExpressionScope): ExpressionFault {
    const compiled = compileIn(expression, scope);
    if ("error" in compiled) {
      variables.set(name, declDyn);
      return { invalid: `compilation failed: ${compiled.error}` };
    }
    const unplanned = programFault(compiled);
    variables.set(name, unplanned === undefined ? declFromType(compiled.type) : declDyn);
    return unplanned;
  }

  function compileIn(
    expression: string,
    scope: ExpressionScope,
  ): CheckedExpression | { readonly error: string } {
    const key = `${scope.hasParams}.${scope.hasAuthorizer}.${scope.hasPatchTypes ?? false}`;
    let environment = environments.get(key);
    if (environment === undefined) {
      environment = environmentFor(scope, hasVariables ? variables : undefined);
      environments.set(key, environment);
    }
    return compile(environment, expression);
  }
}

function programFault(compiled: CheckedExpression): ExpressionFault {
  const fault = planFault(compiled);
  return fault === undefined ? undefined : { internal: `program instantiation failed: ${fault}` };
}

/** Environments without variables are the same for all. */
const shared = new Map<string, Environment>();

function environmentFor(
  { hasParams, hasAuthorizer, hasPatchTypes = false }: ExpressionScope,
  variables: ReadonlyMap<string, DeclType> | undefined,
): Environment {
  const named = variables && declObject("kubernetes.variables", variables);
  const [request, namespace] = [requestType(), namespaceType()];
  return extendEnvironment(baseEnvironment(), {
    variables: {
      object: dynType,
      oldObject: dynType,
      namespaceObject: namespace.type,
      request: request.type,
      ...(named && { variables: named.type }),
      ...(hasParams && { params: dynType }),
      ...(hasAuthorizer && {
        authorizer: structType("kubernetes.authorization.Authorizer"),
        "authorizer.requestResource": structType("kubernetes.authorization.ResourceCheck"),
      }),
    },
    types: [namespace, request, ...(named ? [named] : [])],
    ...(hasPatchTypes && {
      functions: readFunctions(
        "string_jsonpatch_escapeKey_string jsonpatch.escapeKey(string): string",
      ),
      structOf: patchStruct,
    }),
  });
}

/** The types of the fields of the types of which changes are made. */
function patchStruct(name: string): ((field: string) => CelType | undefined) | undefined {
  if (name === "JSONPatch") return (field) => patchFields[field] ?? unspecifiedType;
  if (name === "Object" || name.startsWith("Object.")) return () => dynType;
  return undefined;
}

const patchFields: Readonly<Record<string, CelType>> = {
  op: stringType,
  path: stringType,
  from: stringType,
  value: dynType,
};
