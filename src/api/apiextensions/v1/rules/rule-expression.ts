import { optionalType } from "../../../../cel/checking/cel-type.ts";
import type { CheckedExpression } from "../../../../cel/checking/check-expression.ts";
import { assignTypeNames, type DeclType } from "../../../../cel/checking/decl-type.ts";
import {
  baseEnvironment,
  type Environment,
  extendEnvironment,
} from "../../../../cel/checking/environment.ts";
import { compile } from "../../../../cel/compile.ts";
import { estimateCost } from "../../../../cel/cost/cost.ts";
import type { Estimate } from "../../../../cel/cost/estimate.ts";
import { type Program, plan } from "../../../../cel/evaluation/program.ts";
import type { ValidationRule } from "../json-schema-props.ts";

/** A rule with what came of compiling it and its message. Nothing comes of an empty one. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  readonly fault?: string;
  readonly messageFault?: string;
  /** Whether it speaks of the value as it was before. */
  readonly usesOldSelf: boolean;
  readonly program?: RuleProgram;
  readonly message?: RuleProgram;
}

export interface RuleProgram extends Program {
  /** The most that an evaluation can cost. */
  maxCost(): number;
}

/** Compiles the rules of values of a type. */
export function createRuleCompiler(type: DeclType): (rule: ValidationRule) => CompiledRule {
  const self = assignTypeNames(type, "selfType0");
  const environments = new Map<boolean, Environment>();
  return (rule) => {
    const isOptional = rule.optionalOldSelf === true;
    let environment = environments.get(isOptional);
    if (environment === undefined) {
      const oldSelf = isOptional ? optionalType(self.type) : self.type;
      environment = extendEnvironment(baseEnvironment(), {
        variables: { self: self.type, oldSelf },
        types: [self],
      });
      environments.set(isOptional, environment);
    }
    return compileRule(rule, environment, (path) => sizeAt(type, path));
  };
}

type SizeOf = (path: readonly string[]) => Estimate | undefined;

function compileRule(rule: ValidationRule, environment: Environment, sizeOf: SizeOf): CompiledRule {
  const none = { rule, usesOldSelf: false };
  if (rule.rule.trim() === "") return none;
  const compiled = compile(environment, rule.rule);
  if ("error" in compiled) return { ...none, fault: `compilation failed: ${compiled.error}` };
  if (compiled.type.kind !== "bool" || compiled.type.nullable) {
    return { ...none, fault: "cel expression must evaluate to a bool" };
  }
  const usesOldSelf = [...compiled.references.values()].some(({ name }) => name === "oldSelf");
  const program = programOf(compiled, sizeOf);
  if ("error" in program) {
    return { rule, usesOldSelf, fault: `program instantiation failed: ${program.error}` };
  }
  const message = compileMessage(rule.messageExpression ?? "", environment, sizeOf);
  return { rule, usesOldSelf, program, ...message };
}

function compileMessage(
  text: string,
  environment: Environment,
  sizeOf: SizeOf,
): Pick<CompiledRule, "message" | "messageFault"> {
  if (text === "") return {};
  const compiled = compile(environment, text);
  if ("error" in compiled) {
    return { messageFault: `messageExpression compilation failed: ${compiled.error}` };
  }
  if (compiled.type.kind !== "string" || compiled.type.nullable) {
    return { messageFault: "messageExpression must evaluate to a string" };
  }
  const message = programOf(compiled, sizeOf);
  return "error" in message
    ? { messageFault: `messageExpression instantiation failed: ${message.error}` }
    : { message };
}

function programOf(
  compiled: CheckedExpression,
  sizeOf: SizeOf,
): RuleProgram | { readonly error: string } {
  const program = plan(compiled);
  if ("error" in program) return program;
  return { ...program, maxCost: () => estimateCost(compiled, { sizeOf }).max };
}

/** How large what is at a path can be; whatever it begins at counts as the value itself. */
function sizeAt(self: DeclType, path: readonly string[]): Estimate | undefined {
  if (path.length === 0) return undefined;
  let type: DeclType | undefined = self;
  for (const step of path.slice(1)) type = type && stepInto(type, step);
  return type && { min: 0, max: type.maxElements };
}

function stepInto(type: DeclType, step: string): DeclType | undefined {
  if (step === "@items" || step === "@values") return type.element;
  return step === "@keys" ? type.key : type.fields?.get(step);
}
