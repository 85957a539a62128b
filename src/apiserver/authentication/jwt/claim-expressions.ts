import {
  anyType,
  boolType,
  type CelType,
  isSameType,
  mapType,
  showDeclaredType,
  stringType,
} from "../../../cel/checking/cel-type.ts";
import {
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
import { childrenOf, type Expr } from "../../../cel/syntax/ast.ts";
import type { CelValue } from "../../../cel/values/cel-value.ts";
import type { At } from "../../../schema/language/report.ts";

/** A compiled expression about the claims of a token, or about the user that was made of them. */
export interface ClaimExpression {
  readonly text: string;
  /** The expression itself, for rules about what it uses. */
  readonly expr: Expr;
  /** Evaluates it for a value of its variable; throws upstream's error. */
  evaluate(value: CelValue): CelValue;
}

/** Compiles an expression about `claims`; reports what is wrong with it. */
export const compileClaims = (
  at: At,
  text: string,
  returns: "any" | "bool" = "any",
): ClaimExpression | undefined =>
  compileWith(at, { text, variable: "claims", returns: returns === "bool" ? boolType : undefined });

/** Compiles a condition about `user`; reports what is wrong with it. */
export const compileUserCondition = (at: At, text: string): ClaimExpression | undefined =>
  compileWith(at, { text, variable: "user", returns: boolType });

function compileWith(
  at: At,
  {
    text,
    variable,
    returns,
  }: {
    readonly text: string;
    readonly variable: "claims" | "user";
    readonly returns: CelType | undefined;
  },
): ClaimExpression | undefined {
  const checked = compile(environmentOf(variable), text);
  if ("error" in checked) {
    at.invalid("", text, `compilation failed: ${checked.error}`);
    return undefined;
  }
  if (returns && !isSameType(returns, checked.type)) {
    at.invalid("", text, `must evaluate to ${showDeclaredType(returns)}`);
    return undefined;
  }
  const program = plan(checked);
  if ("error" in program) {
    at.internal("", `program instantiation failed: ${program.error}`);
    return undefined;
  }
  return {
    text,
    expr: checked.expr,
    evaluate: (value) => evaluated(program, { text, variable, value }),
  };
}

function evaluated(
  program: Program,
  { text, variable, value }: { text: string; variable: string; value: CelValue },
): CelValue {
  const result = program.evaluate((name) => (name === variable ? value : undefined));
  if ("value" in result) return result.value;
  throw new Error(`expression '${text}' resulted in error: ${result.error}`);
}

const environments = new Map<string, Environment>();

/** Made when the first expression is compiled. */
function environmentOf(variable: "claims" | "user"): Environment {
  let found = environments.get(variable);
  if (!found) {
    found = variable === "claims" ? claimsEnvironment() : userEnvironment();
    environments.set(variable, found);
  }
  return found;
}

const claimsEnvironment = (): Environment =>
  extendEnvironment(baseEnvironment(), { variables: { claims: mapType(stringType, anyType) } });

function userEnvironment(): Environment {
  const texts = declList(declString, unlimited);
  const user = declObject("kubernetes.UserInfo", {
    username: declString,
    uid: declString,
    groups: texts,
    extra: declMap(declString, texts, unlimited),
  });
  return extendEnvironment(baseEnvironment(), { variables: { user: user.type }, types: [user] });
}

/** Whether an expression selects this claim, directly or as an optional. */
export function usesClaim(expr: Expr, claim: string): boolean {
  if (expr.kind === "select" && isClaims(expr.operand) && expr.field === claim) return true;
  if (expr.kind === "call" && !expr.target && expr.function === "_?._") {
    const [operand, field] = expr.args;
    if (operand && field && isClaims(operand) && isText(field, claim)) return true;
  }
  return childrenOf(expr).some((child) => usesClaim(child, claim));
}

const isClaims = (expr: Expr): boolean => expr.kind === "ident" && expr.name === "claims";
const isText = (expr: Expr, text: string): boolean =>
  expr.kind === "literal" && expr.value.type === "string" && expr.value.value === text;
