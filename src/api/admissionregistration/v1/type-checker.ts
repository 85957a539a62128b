import { dynType, structType } from "../../../cel/checking/cel-type.ts";
import {
  assignTypeNames,
  type DeclType,
  declDyn,
  declFromType,
  declObject,
} from "../../../cel/checking/decl-type.ts";
import { baseEnvironment, extendEnvironment } from "../../../cel/checking/environment.ts";
import { compile } from "../../../cel/compile.ts";
import type { JSONSchemaProps } from "../../apiextensions/v1/json-schema-props.ts";
import { ruleType } from "../../apiextensions/v1/rules/rule-types.ts";
import { namespaceType, requestType } from "./admission-types.ts";

/** The type that expressions see an object as. */
export type ExpressionType = DeclType;

/** The type of objects of a schema, under a name; undefined if the schema says nothing of them. */
export function expressionType(schema: JSONSchemaProps, name: string): ExpressionType | undefined {
  const type = ruleType(schema, { isResource: true });
  return type && assignTypeNames(type, name);
}

/** What is known of the types that the expressions of a policy see; undefined can be anything. */
export interface CheckedTypes {
  readonly object: ExpressionType | undefined;
  /** Undefined if the policy has no parameters. */
  readonly params: { readonly type: ExpressionType | undefined } | undefined;
  readonly variables: readonly { readonly name: string; readonly expression: string }[];
}

/** Finds the errors that an expression of a policy has with objects of one type; undefined if there are none. */
export type TypeChecker = (expression: string) => string | undefined;

/**
 * Makes a checker of expressions. Unlike the compiler that validates policies, it knows the type of the
 * object, and does not mind of which type the value of an expression is.
 */
export function createTypeChecker({ object, params, variables }: CheckedTypes): TypeChecker {
  const known = new Map<string, DeclType>();
  const named = declObject("kubernetes.variables", known);
  const [request, namespace] = [requestType(), namespaceType()];
  const typeOf = (type: DeclType | undefined) => type?.type ?? dynType;
  const types = [named, request, namespace, object, params?.type];
  const environment = extendEnvironment(baseEnvironment(), {
    variables: {
      object: typeOf(object),
      oldObject: typeOf(object),
      namespaceObject: namespace.type,
      request: request.type,
      variables: named.type,
      ...(params && { params: typeOf(params.type) }),
      authorizer: structType("kubernetes.authorization.Authorizer"),
    },
    types: types.filter((type) => type !== undefined),
  });
  for (const { name, expression } of variables) {
    const compiled = compile(environment, expression);
    known.set(name, "error" in compiled ? declDyn : declFromType(compiled.type));
  }
  return (expression) => {
    const compiled = compile(environment, expression);
    return "error" in compiled ? compiled.error : undefined;
  };
}
