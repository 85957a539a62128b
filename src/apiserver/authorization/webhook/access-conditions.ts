import { aggregateMessage } from "../../../base/aggregate-message.ts";
import { boolType, isSameType, showDeclaredType } from "../../../cel/checking/cel-type.ts";
import {
  type DeclType,
  declList,
  declMap,
  declObject,
  declString,
  unlimited,
} from "../../../cel/checking/decl-type.ts";
import {
  baseEnvironment,
  type Environment,
  extendEnvironment,
} from "../../../cel/checking/environment.ts";
import { compile } from "../../../cel/compile.ts";
import { type Program, plan } from "../../../cel/evaluation/program.ts";
import { fromJson } from "../../../cel/values/json-value.ts";
import type { At } from "../../../schema/language/report.ts";
import type { AccessReviewSpec } from "./access-review.ts";

/** Whether an authorizer is asked about a request; throws, in upstream's words, where that cannot be told. */
export type AccessConditions = (spec: AccessReviewSpec) => boolean;

const mostConditions = 64;

/** Compiles conditions, all of which must be true; reports what is wrong with them. Undefined without any. */
export function compileAccessConditions(
  at: At,
  conditions: readonly { readonly expression?: string | undefined }[],
): AccessConditions | undefined {
  if (conditions.length > mostConditions) {
    at.tooMany("", conditions.length, mostConditions);
    return undefined;
  }
  const seen = new Set<string>();
  const compiled = conditions.flatMap(({ expression = "" }, i) => {
    const here = at.index(i).child("expression");
    if (expression.trim() === "") here.required();
    else if (seen.has(expression)) here.duplicate("", expression);
    else {
      seen.add(expression);
      const program = compileCondition(here, expression);
      return program ? [{ expression, program }] : [];
    }
    return [];
  });
  return compiled.length === 0 ? undefined : (spec) => meetsAll(compiled, spec);
}

interface Condition {
  readonly expression: string;
  readonly program: Program;
}

/** One condition that is false decides, whatever became of those before it. */
function meetsAll(conditions: readonly Condition[], spec: AccessReviewSpec): boolean {
  const request = fromJson(requestOf(spec));
  const errors: string[] = [];
  for (const { expression, program } of conditions) {
    const result = program.evaluate((name) => (name === "request" ? request : undefined));
    if ("error" in result)
      errors.push(
        `cel evaluation error: expression '${expression}' resulted in error: ${result.error}`,
      );
    else if (result.value === false) return false;
  }
  if (errors.length > 0) throw new Error(aggregateMessage(errors));
  return true;
}

const noResource = {
  namespace: "",
  verb: "",
  group: "",
  version: "",
  resource: "",
  subresource: "",
  name: "",
} as const;

/** The review as conditions see it: fields that are empty are there, the parts of other requests are not. */
function requestOf(spec: AccessReviewSpec): object {
  const { user = "", groups = [], uid = "", extra = {}, resourceAttributes } = spec;
  return {
    ...spec,
    user,
    groups,
    uid,
    extra,
    ...(resourceAttributes && { resourceAttributes: { ...noResource, ...resourceAttributes } }),
  };
}

function compileCondition(at: At, expression: string): Program | undefined {
  const checked = compile(environment(), expression);
  if ("error" in checked) {
    at.invalid("", expression, `compilation failed: ${checked.error}`);
    return undefined;
  }
  if (!isSameType(checked.type, boolType)) {
    const got = showDeclaredType(checked.type);
    at.invalid("", expression, `must evaluate to bool but got ${got}`);
    return undefined;
  }
  const program = plan(checked);
  if ("error" in program) {
    at.internal("", `program instantiation failed: ${program.error}`);
    return undefined;
  }
  return program;
}

let made: Environment | undefined;

/** Made when the first condition is compiled. */
function environment(): Environment {
  if (!made) {
    const request = requestType();
    made = extendEnvironment(baseEnvironment(), {
      variables: { request: request.type },
      types: [request],
    });
  }
  return made;
}

function requestType(): DeclType {
  const texts = declList(declString, unlimited);
  const requirement = declObject("kubernetes.SelectorRequirement", {
    key: declString,
    operator: declString,
    values: texts,
  });
  const selector = (name: string) =>
    declObject(`kubernetes.${name}SelectorAttributes`, {
      rawSelector: declString,
      requirements: declList(requirement, unlimited),
    });
  const strings = Object.fromEntries(Object.keys(noResource).map((name) => [name, declString]));
  return declObject("kubernetes.SubjectAccessReviewSpec", {
    resourceAttributes: declObject("kubernetes.ResourceAttributes", {
      ...strings,
      fieldSelector: selector("Field"),
      labelSelector: selector("Label"),
    }),
    nonResourceAttributes: declObject("kubernetes.NonResourceAttributes", {
      path: declString,
      verb: declString,
    }),
    user: declString,
    groups: texts,
    extra: declMap(declString, texts, unlimited),
    uid: declString,
  });
}
