import type { Expr } from "./ast.ts";
import { createExprFactory, createIds, type Ids } from "./expr-factory.ts";
import { createLexer } from "./lex.ts";
import type { Macro } from "./macro.ts";
import type { Problem } from "./problem.ts";
import { GaveUp } from "./recovery.ts";
import { createSource, type Location, locate, noLocation, type Source } from "./source.ts";
import { readSyntaxTree } from "./syntax-tree.ts";
import { createTokenStream } from "./token-stream.ts";
import { createTreeReader } from "./tree-reader.ts";

/** What a text says, with the offset of each expression in it. */
export interface ParsedExpression {
  readonly source: Source;
  readonly expr: Expr;
  readonly offsets: ReadonlyMap<number, number>;
}

/** A text may have so many characters. */
const maxCharacters = 100_000;

/** So many mistakes are told; at the next one reading ends. */
const maxMistakes = 100;

/** Reads an expression, and replaces the calls of macros; or tells what is wrong with it. */
export function parse(
  text: string,
  macros: readonly Macro[],
): ParsedExpression | { readonly source: Source; readonly problems: readonly Problem[] } {
  const source = createSource(text);
  const problems: Problem[] = [];
  const report = (location: Location, message: string): void => {
    problems.push({ location, message });
  };
  const size = source.characters.length;
  if (size > maxCharacters) {
    const message = `expression code point size exceeds limit: size: ${size}, limit ${maxCharacters}`;
    return { source, problems: [{ location: noLocation, message }] };
  }
  const ids = createIds();
  try {
    const expr = read(source, { macros, ids, problems, report });
    if (problems.length === 0) return { source, expr, offsets: ids.offsets };
  } catch (fault) {
    if (!(fault instanceof GaveUp)) throw fault;
    if (fault.message !== "") report(noLocation, fault.message);
  }
  return { source, problems };
}

function read(
  source: Source,
  {
    macros,
    ids,
    problems,
    report,
  }: {
    macros: readonly Macro[];
    ids: Ids;
    problems: readonly Problem[];
    report: (location: Location, message: string) => void;
  },
): Expr {
  let mistakes = 0;
  const fail = (offset: number, message: string): void => {
    const location = locate(source, offset);
    if (mistakes === maxMistakes) {
      report(location, `Syntax error: More than ${maxMistakes} syntax errors`);
      throw new GaveUp("");
    }
    mistakes++;
    report(location, `Syntax error: ${namingReservedWord(message)}`);
  };
  const tokens = createTokenStream(createLexer(source.characters, fail));
  const tree = readSyntaxTree(tokens, ({ start }, message) => fail(start, message));
  const reader = createTreeReader({
    ids,
    expand: (call) => {
      const macro = macros.findLast(
        ({ name, argCount, isMethod }) =>
          name === call.function &&
          argCount === call.args.length &&
          isMethod === (call.target !== undefined),
      );
      const target = call.target ?? call;
      return macro?.expand(createExprFactory(ids, call.id), call.args, target);
    },
    hasProblems: () => problems.length > 0,
    report: (offset, message) => {
      report(offset === undefined ? noLocation : locate(source, offset), message);
    },
  });
  return reader(tree);
}

/** A word of the language in place of a name is told as such. */
function namingReservedWord(message: string): string {
  return message.replaceAll(
    /no viable alternative at input '.(true|false|null)'/g,
    "mismatched input '$1' expecting IDENTIFIER",
  );
}
