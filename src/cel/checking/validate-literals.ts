import { regexpFault } from "../../schema/regexp/go-regexp.ts";
import { childrenOf, type Expr, type Literal } from "../syntax/ast.ts";
import type { Problem } from "../syntax/problem.ts";
import { locate, noLocation } from "../syntax/source.ts";
import { isError } from "../values/cel-value.ts";
import { convertValue } from "../values/convert-value.ts";
import { literalValue } from "../values/literal-value.ts";
import { type CelType, dynType, isSameType, showType } from "./cel-type.ts";
import type { CheckedExpression } from "./check-expression.ts";
import { formatFault } from "./validate-format.ts";

/**
 * What is wrong with the constants of an expression whose types fit: durations, times, regular
 * expressions and formats that cannot be read, lists and maps whose elements differ in type.
 */
export function validateLiterals(checked: CheckedExpression): Problem[] {
  const { source, offsets, types } = checked;
  const problems: Problem[] = [];
  const fail = (id: number, message: string): void => {
    const offset = offsets.get(id);
    const location = offset === undefined ? noLocation : locate(source, offset);
    problems.push({ location, message });
  };
  const all = [...placed(checked.expr, false)];
  const plain = all.filter(({ inFormat }) => !inFormat).map(({ expr }) => expr);
  for (const expr of plain) if (expr.kind === "list") checkElements(expr, types, fail);
  for (const expr of plain) if (expr.kind === "map") checkEntries(expr, types, fail);
  for (const [name, isValid] of Object.entries(validLiterals)) {
    for (const { expr } of all) {
      const argument = expr.kind === "call" && expr.function === name ? expr.args[0] : undefined;
      if (argument?.kind === "literal" && !isValid(argument.value)) {
        fail(argument.id, `invalid ${name} argument`);
      }
    }
  }
  for (const { expr } of all) {
    const fault = formatFault(expr, types);
    if (fault !== undefined) fail(fault.id, fault.message);
  }
  return problems;
}

/** Expressions, each after those below it, and whether it is in a call of `format`. */
function* placed(expr: Expr, inFormat: boolean): Generator<{ expr: Expr; inFormat: boolean }> {
  const within = inFormat || (expr.kind === "call" && expr.function === "format");
  for (const child of childrenOf(expr)) yield* placed(child, within);
  yield { expr, inFormat };
}

const validLiterals: Readonly<Record<string, (value: Literal) => boolean>> = {
  duration: (value) => isConverted("duration", value),
  timestamp: (value) => isConverted("timestamp", value),
  matches: (value) => value.type !== "string" || regexpFault(value.value) === undefined,
};

const isConverted = (to: "duration" | "timestamp", value: Literal): boolean =>
  !isError(convertValue(literalValue(value), to));

type Types = ReadonlyMap<number, CelType>;
type Fail = (id: number, message: string) => void;

function checkElements(list: Extract<Expr, { kind: "list" }>, types: Types, fail: Fail): void {
  let first: CelType | undefined;
  for (const [index, element] of list.elements.entries()) {
    const type = typeAt(types, element.id, list.optional.includes(index));
    first ??= type;
    if (isSameType(first, type, true)) continue;
    fail(element.id, mismatch(first, type));
    return;
  }
}

function checkEntries(map: Extract<Expr, { kind: "map" }>, types: Types, fail: Fail): void {
  let first: { key: CelType; value: CelType } | undefined;
  for (const { key, value, optional } of map.entries) {
    const type = { key: typeAt(types, key.id, false), value: typeAt(types, value.id, optional) };
    first ??= type;
    if (!isSameType(first.key, type.key, true)) fail(key.id, mismatch(first.key, type.key));
    if (!isSameType(first.value, type.value, true)) {
      fail(value.id, mismatch(first.value, type.value));
    }
  }
}

function typeAt(types: Types, id: number, optional: boolean): CelType {
  const type = types.get(id) ?? dynType;
  return optional ? (type.parameters[0] ?? type) : type;
}

function mismatch(expected: CelType, found: CelType): string {
  return `expected type '${showType(expected)}' but found '${showType(found)}'`;
}
