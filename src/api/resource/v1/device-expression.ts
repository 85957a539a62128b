import { showDeclaredType } from "../../../cel/checking/cel-type.ts";
import type { CheckedExpression } from "../../../cel/checking/check-expression.ts";
import {
  type DeclType,
  declAny,
  declBool,
  declMap,
  declObject,
  declQuantity,
  declString,
  withMaxElements,
} from "../../../cel/checking/decl-type.ts";
import { readFunctions } from "../../../cel/checking/declaration.ts";
import {
  baseEnvironment,
  bindings,
  type Environment,
  extendEnvironment,
} from "../../../cel/checking/environment.ts";
import { compile } from "../../../cel/compile.ts";
import { estimateCost } from "../../../cel/cost/cost.ts";
import type { Estimate } from "../../../cel/cost/estimate.ts";
import { planFault } from "../../../cel/plan-fault.ts";

/** An expression may cost so much, as it is estimated, and when it is evaluated. */
export const maxDeviceExpressionCost = 1_000_000;

/** An expression that selects devices, with the most that it can cost; or what is wrong with it. */
export type DeviceExpression =
  | { readonly compiled: CheckedExpression; readonly maxCost: number }
  | { readonly invalid: string }
  | { readonly internal: string };

/** What is wrong with an expression that selects devices; nothing if it can be used. */
export type DeviceExpressionFault =
  | { readonly invalid: string }
  | { readonly internal: string }
  | { readonly forbidden: string }
  | undefined;

/** Whether an expression is new, or stored already: then it may use what is new in this version. */
export interface DeviceExpressionOptions {
  readonly stored: boolean;
}

/** Compiles an expression that selects devices, and looks at what it costs. */
export function deviceExpressionFault(
  expression: string,
  options: DeviceExpressionOptions,
): DeviceExpressionFault {
  const result = compileDeviceExpression(expression, options);
  if (!("maxCost" in result)) return result;
  return result.maxCost > maxDeviceExpressionCost
    ? { forbidden: "too complex, exceeds cost limit" }
    : undefined;
}

/** Compiles an expression that selects devices. */
export function compileDeviceExpression(
  expression: string,
  { stored }: DeviceExpressionOptions,
): DeviceExpression {
  const compiled = compile(environment(stored), expression);
  if ("error" in compiled) return { invalid: `compilation failed: ${compiled.error}` };
  const { type } = compiled;
  if (type.kind !== "any" && (type.kind !== "bool" || type.nullable)) {
    const shown = showDeclaredType(type);
    return { invalid: `must evaluate to bool or the unknown type, not ${shown}` };
  }
  const unplanned = planFault(compiled);
  if (unplanned !== undefined) return { internal: `program instantiation failed: ${unplanned}` };
  const { max } = estimateCost(compiled, {
    sizeOf: sizeAt,
    callCost: (_, overload) => (overload === "dra_includes_dyn_dyn" ? included : undefined),
  });
  return { compiled, maxCost: max };
}

const maxPerDevice = 32;

/** Looking for a value in a list attribute looks at each of its values. */
const included: Estimate = { min: 0, max: 48 };

const domain = withMaxElements(declString, 63);
const id = withMaxElements(declString, 32);
const attribute = withMaxElements(declAny, 64);

const device = declObject("kubernetes.DRADevice", {
  allowMultipleAllocations: withMaxElements(declBool, 1),
  driver: withMaxElements(declString, 63),
  attributes: declMap(domain, declMap(id, attribute, maxPerDevice), maxPerDevice),
  capacity: declMap(domain, declMap(id, declQuantity, maxPerDevice), maxPerDevice),
});

const environments = new Map<boolean, Environment>();

function environment(stored: boolean): Environment {
  let found = environments.get(stored);
  if (found === undefined) {
    found = extendEnvironment(extendEnvironment(baseEnvironment(), bindings), {
      variables: { device: device.type },
      types: [device],
      ...(stored && {
        functions: readFunctions("dra_includes_dyn_dyn (dyn).includes(dyn): bool"),
      }),
    });
    environments.set(stored, found);
  }
  return found;
}

/** How large what is at a path can be, for paths that begin at the device. */
function sizeAt([root, ...steps]: readonly string[]): Estimate | undefined {
  let type: DeclType | undefined = root === "device" ? device : undefined;
  for (const step of steps) type = type && stepInto(type, step);
  return type && { min: 0, max: type.maxElements };
}

function stepInto(type: DeclType, step: string): DeclType | undefined {
  if (step === "@items" || step === "@values") return type.element;
  if (step === "@keys") return type.key;
  return type.fields?.get(step) ?? (type.element === attribute ? attribute : undefined);
}
