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
import { type Program, plan } from "../../../cel/evaluation/program.ts";
import type { At } from "../../../schema/language/report.ts";
import { namespaceType, requestType } from "./admission-types.ts";

/** What an expression may name beside the object and the request. */
export interface ExpressionScope {
  readonly hasParams: boolean;
  readonly hasAuthorizer: boolean;
  /** `Object` and `JSONPatch`, of which changes are made. */
  readonly hasPatchTypes?: boolean;
}

/** A program; or what is wrong with an expression: with what it says, or with making a program of it. */
export type CompiledExpression =
  | { readonly program: Program }
  | { readonly invalid: string }
  | { readonly internal: string };

/** Compiles the expressions of a policy or of a webhook. */
export interface AdmissionCompiler {
  /** Compiles an expression whose value must be of one of these types. */
  compile(
    expression: string,
    returns: readonly CelType[],
    scope: ExpressionScope,
  ): CompiledExpression;
  /** Compiles an expression, and lets those that follow name its value. */
  addVariable(name: string, expression: string, scope: ExpressionScope): CompiledExpression;
}

/** Reports what is wrong with an expression, if something is. */
export function reportExpression(at: At, expression: string, compiled: CompiledExpression): void {
  if ("invalid" in compiled) at.invalid("", expression, compiled.invalid);
  else if ("internal" in compiled) at.internal("", compiled.internal);
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
  return {
    compile(expression, returns, scope) {
      const checked = checkIn(expression, scope);
      if ("error" in checked) return { invalid: `compilation failed: ${checked.error}` };
      if (returns.some((type) => isSameType(type, checked.type))) return planned(checked);
      const wanted = returns.map(showDeclaredType);
      const choice = wanted.length === 1 ? wanted.join("") : `one of [${wanted.join(" ")}]`;
      return { invalid: `must evaluate to ${choice} but got ${showDeclaredType(checked.type)}` };
    },
    addVariable(name, expression, scope) {
      const checked = checkIn(expression, scope);
      if ("error" in checked) {
        variables.set(name, declDyn);
        return { invalid: `compilation failed: ${checked.error}` };
      }
      const compiled = planned(checked);
      variables.set(name, "program" in compiled ? declFromType(checked.type) : declDyn);
      return compiled;
    },
  };

  function checkIn(
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

function planned(checked: CheckedExpression): CompiledExpression {
  const program = plan(checked);
  if ("error" in program) return { internal: `program instantiation failed: ${program.error}` };
  return { program };
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
