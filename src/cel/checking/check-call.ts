import { type CallExpr, type Expr, qualifiedName } from "../syntax/ast.ts";
import { substitute } from "./assignable.ts";
import {
  boolType,
  type CelType,
  dynType,
  errorType,
  isDyn,
  isSameType,
  showType,
} from "./cel-type.ts";
import { typeOfField } from "./check-field.ts";
import type { Checking } from "./checking.ts";
import type { Overload } from "./declaration.ts";

/**
 * Checks a call: of the ways to call the function those fit that take what is given. A call like
 * `a.b.f()` calls the function `a.b.f`, if there is one, rather than a method of `a.b`.
 */
export function checkCall(checking: Checking, call: CallExpr): Expr {
  if (call.function === "_?._") return checkOptionalSelect(checking, call);
  const { id, target } = call;
  const args = call.args.map((arg) => checking.check(arg));
  if (target === undefined) {
    const name = withoutDot(call.function);
    return resolve(checking, { kind: "call", id, function: name, args }, call.function);
  }
  const qualifier = qualifiedName(target);
  const qualified = qualifier && withoutDot(`${qualifier}.${call.function}`);
  if (qualified !== undefined && checking.environment.functions.has(qualified)) {
    return resolve(checking, { kind: "call", id, function: qualified, args }, qualified);
  }
  const checkedTarget = checking.check(target);
  return resolve(checking, { ...call, target: checkedTarget, args }, call.function);
}

function resolve(checking: Checking, call: CallExpr, written: string): Expr {
  const overloads = checking.environment.functions.get(call.function);
  if (overloads === undefined) {
    checking.fail(call.id, `undeclared reference to '${written}' (in container '')`);
    checking.types.set(call.id, errorType);
    return call;
  }
  const { id, args, target } = call;
  const operands = target === undefined ? args : [target, ...args];
  const resolution =
    call.function === "_&&_" || call.function === "_||_"
      ? resolveLogical(checking, args, overloads)
      : resolveOverloads(checking, operands, {
          overloads: overloads.filter(({ isMethod }) => isMethod === (target !== undefined)),
        });
  if (resolution === "told") {
    checking.types.set(id, errorType);
  } else if (resolution === undefined) {
    const types = operands.map((operand) => checking.resolve(checking.typeOf(operand), true));
    const signature = showSignature(types, target !== undefined);
    const message = `found no matching overload for '${call.function}' applied to '${signature}'`;
    checking.fail(id, message);
    checking.types.set(id, errorType);
  } else {
    checking.types.set(id, resolution.type);
    checking.references.set(id, { overloads: resolution.overloads });
  }
  return call;
}

interface Resolution {
  readonly type: CelType;
  readonly overloads: readonly string[];
}

function resolveOverloads(
  checking: Checking,
  operands: readonly Expr[],
  { overloads }: { overloads: readonly Overload[] },
): Resolution | undefined {
  const types = operands.map((operand) => checking.typeOf(operand));
  const fitting: string[] = [];
  let type: CelType | undefined;
  for (const overload of overloads) {
    const { parameters, result } = instantiate(checking, overload);
    if (!checking.isAssignable(types, parameters)) continue;
    fitting.push(overload.id);
    const resolved = checking.resolve(result);
    if (type === undefined) type = resolved;
    else if (!isDyn(type) && !isSameType(resolved, type)) type = dynType;
  }
  return type && { type, overloads: fitting };
}

/** The types of a way to call a function, with parameters of this call only. */
function instantiate(
  checking: Checking,
  { typeParameters, parameters, result }: Overload,
): { parameters: readonly CelType[]; result: CelType } {
  if (typeParameters.length === 0) return { parameters, result };
  const own = new Map(typeParameters.map((name) => [name, checking.newTypeParameter()]));
  return {
    parameters: parameters.map((type) => substitute(own, type, false)),
    result: substitute(own, result, false),
  };
}

/** Of `a && b` each side is told by itself if it is no bool. */
function resolveLogical(
  checking: Checking,
  args: readonly Expr[],
  overloads: readonly Overload[],
): Resolution | "told" {
  let isRight = true;
  for (const arg of args) {
    const type = checking.typeOf(arg);
    if (checking.isAssignable([type], [boolType])) continue;
    isRight = false;
    checking.fail(arg.id, `expected type '${showType(boolType)}' but found '${showType(type)}'`);
  }
  if (!isRight) return "told";
  return { type: boolType, overloads: overloads.slice(0, 1).map(({ id }) => id) };
}

/** `a.?b`, of which the name stands as a string. */
function checkOptionalSelect(checking: Checking, call: CallExpr): Expr {
  const { id } = call;
  const [operand, field] = call.args;
  if (operand === undefined || field?.kind !== "literal") return call;
  const checked = checking.check(operand);
  const name = String(field.value.value);
  const type = typeOfField(checking, { id, operand: checked, field: name, optional: true });
  checking.types.set(id, checking.resolve(type));
  checking.references.set(id, { overloads: ["select_optional_field"] });
  return { ...call, args: [checked, field] };
}

function showSignature(types: readonly CelType[], isMethod: boolean): string {
  const shown = types.map(showType);
  const target = isMethod ? `${shown.shift() ?? ""}.` : "";
  return `${target}(${shown.join(", ")})`;
}

const withoutDot = (name: string): string => (name.startsWith(".") ? name.slice(1) : name);
