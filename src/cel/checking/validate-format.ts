import { quoteBytes } from "../../schema/values/quote.ts";
import type { Expr } from "../syntax/ast.ts";
import { type CelType, dynType, type TypeKind } from "./cel-type.ts";

/**
 * What is wrong with a call of `format` on a constant with a list of arguments: a clause that is
 * none, or one that does not fit its argument.
 */
export function formatFault(
  expr: Expr,
  types: ReadonlyMap<number, CelType>,
): { id: number; message: string } | undefined {
  if (expr.kind !== "call" || expr.function !== "format") return undefined;
  const [list, ...others] = expr.args;
  const { target } = expr;
  if (target?.kind !== "literal" || target.value.type !== "string") return undefined;
  if (list?.kind !== "list" || others.length > 0) return undefined;
  const bytes = new TextEncoder().encode(target.value.value);
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  let used = 0;
  for (let at = text.indexOf("%"); at >= 0; at = text.indexOf("%", at)) {
    if (text[at + 1] === "%") {
      at += 2;
      continue;
    }
    if (at + 1 >= text.length) return { id: expr.id, message: "unexpected end of string" };
    const argument = list.elements[used];
    if (argument === undefined) return { id: expr.id, message: `index ${used} out of range` };
    const clause = readClause(text.slice(at + 1));
    if ("error" in clause) {
      return { id: expr.id, message: `could not parse formatting clause: ${clause.error}` };
    }
    const bad = firstBad(argument, clause.rule, types);
    if (bad !== undefined) {
      const given = (types.get(bad) ?? dynType).name;
      return { id: bad, message: `error during formatting: ${clause.rule.message}${given}` };
    }
    used++;
    at += 1 + clause.length;
  }
  if (list.elements.length <= used) return undefined;
  const counts = `(expected ${used}, got ${list.elements.length})`;
  return { id: expr.id, message: `too many arguments supplied to string.format ${counts}` };
}

/** What a clause takes, and how it says that it was given something else. */
interface Clause {
  readonly kinds: readonly TypeKind[];
  readonly message: string;
  /** Whether it goes for the elements of lists and maps too. */
  readonly isDeep?: true;
}

const numeric = ["int", "uint"] as const;

const clauses: Readonly<Record<string, Clause>> = {
  s: {
    kinds: [
      "list",
      "map",
      ...numeric,
      "double",
      "bool",
      "string",
      "timestamp",
      "bytes",
      "duration",
      "type",
      "null",
    ],
    message:
      "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given ",
    isDeep: true,
  },
  d: { kinds: numeric, message: "decimal clause can only be used on integers, was given " },
  f: {
    kinds: ["double", "string"],
    message: "fixed-point clause can only be used on doubles, was given ",
  },
  e: {
    kinds: ["double", "string"],
    message: "scientific clause can only be used on doubles, was given ",
  },
  b: {
    kinds: [...numeric, "bool"],
    message: "only integers and bools can be formatted as binary, was given ",
  },
  x: {
    kinds: [...numeric, "string", "bytes"],
    message: "only integers, byte buffers, and strings can be formatted as hex, was given ",
  },
  o: { kinds: numeric, message: "octal clause can only be used on integers, was given " },
};

function readClause(text: string): { rule: Clause; length: number } | { error: string } {
  const precision = /^\.([0-9]*)/.exec(text);
  const start = precision?.[0].length ?? 0;
  const problem = precision === null ? undefined : precisionFault(text, precision[1] ?? "");
  if (problem !== undefined) return { error: `error while parsing precision: ${problem}` };
  const letter = text[start] ?? "";
  const rule = clauses[letter === "X" ? "x" : letter];
  if (rule === undefined) return { error: `unrecognized formatting clause "${letter}"` };
  return { rule, length: start + 1 };
}

function precisionFault(text: string, digits: string): string | undefined {
  if (digits.length + 1 >= text.length) return "could not find end of precision specifier";
  const isTooLarge = digits !== "" && BigInt(digits) >= 2n ** 63n;
  if (digits !== "" && !isTooLarge) return undefined;
  const reason = isTooLarge ? "value out of range" : "invalid syntax";
  const cause = `strconv.Atoi: parsing ${quoteBytes(digits)}: ${reason}`;
  return `error while converting precision to integer: ${cause}`;
}

/** The first expression that a clause does not take, if there is one. */
function firstBad(
  expr: Expr,
  rule: Clause,
  types: ReadonlyMap<number, CelType>,
): number | undefined {
  const { kind } = types.get(expr.id) ?? dynType;
  if (kind !== "dyn" && !rule.kinds.includes(kind)) return expr.id;
  if (rule.isDeep !== true) return undefined;
  let inner: readonly Expr[] = [];
  if (expr.kind === "list") inner = expr.elements;
  if (expr.kind === "map") inner = expr.entries.flatMap(({ key, value }) => [key, value]);
  for (const element of inner) {
    const bad = firstBad(element, rule, types);
    if (bad !== undefined) return bad;
  }
  return undefined;
}
