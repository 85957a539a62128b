import { regexpFault } from "../../schema/regexp/go-regexp.ts";
import type { Implementation } from "../functions/implementation.ts";
import type { CallExpr } from "../syntax/ast.ts";
import {
  type CelList,
  CelOptional,
  type CelValue,
  isError,
  noSuchOverload,
  orNoSuchOverload,
} from "../values/cel-value.ts";
import { areEqual } from "../values/equal-values.ts";
import { nativeView } from "../values/native-view.ts";
import { type CallCost, callCost } from "./call-cost.ts";
import { findFunction } from "./find-function.ts";
import type { Run } from "./frame.ts";
import { membershipTest } from "./membership.ts";
import { planIndex } from "./plan-index.ts";
import { attributeOf, known, PlanError, type Planned, type Planning, runOf } from "./planned.ts";

/** Plans a call: operators that do not need all of their operands, parts of values, functions. */
export function planCall(planning: Planning, call: CallExpr): Planned {
  const name = call.function;
  if (name === "_[_]" || name === "_[?_]" || name === "_?._") return planIndex(planning, call);
  const operands = call.target === undefined ? call.args : [call.target, ...call.args];
  const planned = operands.map((operand) => planning.plan(operand));
  switch (name) {
    case "_&&_":
      return step(planDecision(false, planned));
    case "_||_":
      return step(planDecision(true, planned));
    case "_?_:_":
      return planConditional(planned);
    case "_==_":
    case "_!=_":
      return step(planEquality(name, planned));
  }
  const overloads = planning.references.get(call.id)?.overloads ?? [];
  const overload = overloads.length === 1 ? (overloads[0] ?? "") : "";
  if (name === "or" && (overload === "" || overload === "optional_or_optional")) {
    return step(planOr(planned, (optional) => optional));
  }
  if (name === "orValue" && (overload === "" || overload === "optional_orValue_value")) {
    return step(planOr(planned, ({ value = null }) => value));
  }
  return planFunction(planning, { name, overload, planned });
}

const step = (run: Run): Planned => ({ kind: "step", run });

interface FunctionCall {
  readonly name: string;
  readonly overload: string;
  readonly planned: readonly Planned[];
}

function planFunction(planning: Planning, { name, overload, planned }: FunctionCall): Planned {
  const declared = planning.environment.functions.get(name) ?? [];
  const found = findFunction(name, { overload, declared, count: planned.length });
  const [first, second] = planned;
  if (conversions.has(name) && planned.length === 1 && first?.kind === "constant") {
    return known(isError(first.value) ? first.value : unaryOf(found)(first.value));
  }
  if (overload === "in_list" && first && second?.kind === "constant") {
    const test = membershipTest(second.value as CelList, runOf(first));
    if (test !== undefined) return typeof test === "function" ? step(test) : known(test);
  }
  const implementation = withPattern(name, planned, found);
  const cost = callCost(name, overload);
  return step(callRun(implementation, { runs: planned.map(runOf), cost }));
}

const conversions: ReadonlySet<string> = new Set(
  "bool bytes double duration dyn int string timestamp type uint".split(" "),
);
const searches: ReadonlySet<string> = new Set(["matches", "find", "findAll"]);

/** What is searched for is read when it is known; then the arguments are evaluated one by one. */
function withPattern(
  name: string,
  planned: readonly Planned[],
  found: Implementation,
): Implementation {
  const pattern = planned[1];
  if (!searches.has(name) || pattern?.kind !== "constant") return found;
  if (typeof pattern.value !== "string") return found;
  const fault = regexpFault(pattern.value);
  if (fault !== undefined) throw new PlanError(fault);
  return {
    all: (values) => {
      const native = values.map(nativeView);
      const [text, , count] = native;
      const fits = typeof text === "string" && (count === undefined || typeof count === "bigint");
      return fits ? applied(found, native) : noSuchOverload;
    },
  };
}

function unaryOf(found: Implementation): (value: CelValue) => CelValue {
  return (value) => applied(found, [value]);
}

function applied(found: Implementation, values: readonly CelValue[]): CelValue {
  const [a = null, b = null] = values;
  if (found.one && values.length === 1) return found.one(a);
  if (found.two && values.length === 2) return found.two(a, b);
  return found.all?.(values) ?? null;
}

/** One or two operands are all evaluated; of more, none that follows an error. */
function callRun(
  implementation: Implementation,
  { runs, cost }: { runs: readonly Run[]; cost: CallCost },
): Run {
  const { one, two, all, takesErrors } = implementation;
  const [first, second] = runs;
  if (one && first && runs.length === 1) {
    return (frame) => {
      const value = first(frame);
      const result = isError(value) && takesErrors !== true ? value : one(value);
      frame.charge(typeof cost === "number" ? cost : cost([value], result));
      return result;
    };
  }
  if (two && first && second && runs.length === 2) {
    return (frame) => {
      const a = first(frame);
      const b = second(frame);
      const result = isError(a) ? a : isError(b) ? b : two(a, b);
      frame.charge(typeof cost === "number" ? cost : cost([a, b], result));
      return result;
    };
  }
  return (frame) => {
    const values: CelValue[] = [];
    for (const run of runs) {
      const value = run(frame);
      values.push(value);
      if (!isError(value)) continue;
      if (values.length === runs.length) {
        frame.charge(typeof cost === "number" ? cost : cost(values, value));
      }
      return value;
    }
    const result = all?.(values) ?? null;
    frame.charge(typeof cost === "number" ? cost : cost(values, result));
    return result;
  };
}

/** `&&` and `||`: one side can decide alone, even if the other has no value. */
function planDecision(decisive: boolean, planned: readonly Planned[]): Run {
  const terms = planned.map(runOf);
  return (frame) => {
    let fault: CelValue | undefined;
    for (const term of terms) {
      const value = term(frame);
      if (value === decisive) return decisive;
      if (typeof value !== "boolean") fault ??= orNoSuchOverload(value);
    }
    return fault ?? !decisive;
  };
}

/** A conditional costs what is evaluated of it. What its branches read is read for nothing. */
function planConditional([condition, whenTrue, whenFalse]: readonly Planned[]): Planned {
  if (!condition || !whenTrue || !whenFalse) throw new PlanError("no such overload: _?_:_");
  return {
    kind: "attribute",
    attribute: {
      kind: "conditional",
      condition: runOf(condition),
      whenTrue: attributeOf(whenTrue),
      whenFalse: attributeOf(whenFalse),
    },
    isTest: false,
  };
}

function planEquality(name: "_==_" | "_!=_", planned: readonly Planned[]): Run {
  const [first, second] = planned.map(runOf);
  if (!first || !second) throw new PlanError(`no such overload: ${name}`);
  const isNegated = name === "_!=_";
  const cost = callCost(name, isNegated ? "not_equals" : "equals");
  return (frame) => {
    const a = first(frame);
    const b = second(frame);
    let result: CelValue = isError(a) ? a : b;
    if (!isError(result)) {
      result = areEqual(a, b);
      if (isNegated) result = result !== true;
    }
    frame.charge(typeof cost === "number" ? cost : cost([a, b], result));
    return result;
  };
}

/** `or` and `orValue`, which evaluate the other side only where there is no value. */
function planOr(planned: readonly Planned[], read: (optional: CelOptional) => CelValue): Run {
  const [first, second] = planned.map(runOf);
  if (!first || !second) throw new PlanError("no such overload: or");
  return (frame) => {
    const optional = first(frame);
    if (!(optional instanceof CelOptional)) return optional;
    return optional.value === undefined ? second(frame) : read(optional);
  };
}
