import { optionalType } from "../../../cel/checking/cel-type.ts";
import { assignTypeNames, type DeclType } from "../../../cel/checking/decl-type.ts";
import {
  baseEnvironment,
  type Environment,
  extendEnvironment,
} from "../../../cel/checking/environment.ts";
import { compile } from "../../../cel/compile.ts";
import { estimateCost } from "../../../cel/cost/cost.ts";
import type { Estimate } from "../../../cel/cost/estimate.ts";
import { planFault } from "../../../cel/plan-fault.ts";
import type { ValidationRule } from "./json-schema-props.ts";

/** What came of compiling a rule and its message. */
export interface CompiledRule {
  readonly fault?: string;
  readonly messageFault?: string;
  /** Whether it speaks of the value as it was before. */
  readonly usesOldSelf: boolean;
  readonly maxCost: number;
  readonly messageMaxCost?: number;
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

function compileRule(
  { rule, messageExpression = "" }: ValidationRule,
  environment: Environment,
  sizeOf: (path: readonly string[]) => Estimate | undefined,
): CompiledRule {
  const none = { usesOldSelf: false, maxCost: 0 };
  if (rule.trim() === "") return none;
  const compiled = compile(environment, rule);
  if ("error" in compiled) return { ...none, fault: `compilation failed: ${compiled.error}` };
  if (compiled.type.kind !== "bool" || compiled.type.nullable) {
    return { ...none, fault: "cel expression must evaluate to a bool" };
  }
  const usesOldSelf = [...compiled.references.values()].some(({ name }) => name === "oldSelf");
  const unplanned = planFault(compiled);
  if (unplanned !== undefined) {
    return { usesOldSelf, maxCost: 0, fault: `program instantiation failed: ${unplanned}` };
  }
  const result = {
    usesOldSelf,
    maxCost: estimateCost(compiled, { sizeOf }).max,
  };
  if (messageExpression === "") return result;
  const message = compile(environment, messageExpression);
  if ("error" in message) {
    return { ...result, messageFault: `messageExpression compilation failed: ${message.error}` };
  }
  if (message.type.kind !== "string" || message.type.nullable) {
    return { ...result, messageFault: "messageExpression must evaluate to a string" };
  }
  const unplannedMessage = planFault(message);
  if (unplannedMessage !== undefined) {
    const messageFault = `messageExpression instantiation failed: ${unplannedMessage}`;
    return { ...result, messageFault };
  }
  return { ...result, messageMaxCost: estimateCost(message, { sizeOf }).max };
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
