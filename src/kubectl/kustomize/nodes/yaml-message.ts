import { KustomizeError } from "../kustomize-error.ts";

/** What a parser says of a text that it cannot read. */
interface ParserFault {
  readonly reason: string;
  readonly mark: { readonly position: number; readonly line: number };
}

/**
 * The error of a text that is no YAML, in the words of Go's parsers. Of a collection in brackets that
 * is not closed, version 3 names the line on which it begins, version 2 that on which it should end.
 */
export function yamlFailure(text: string, error: unknown, version: 2 | 3): unknown {
  if (!(error instanceof SyntaxError)) return error;
  const fault = error.cause;
  if (isParserFault(fault) && /directives end mark/.test(fault.reason)) {
    const message = `yaml: line ${fault.mark.line}: did not find expected <document start>`;
    return new KustomizeError(message, { cause: error });
  }
  const bracket = isParserFault(fault) ? openBracket(text, fault) : undefined;
  if (!isParserFault(fault) || bracket === undefined) {
    return new KustomizeError(`yaml: ${error.message}`, { cause: error });
  }
  const begin = text.slice(0, bracket).split("\n").length - 1;
  const end = fault.mark.line;
  const line = version === 3 ? begin || end : end;
  const closing = text[bracket] === "[" ? "]" : "}";
  const where = line === 0 ? "" : `line ${line}: `;
  const message = `yaml: ${where}did not find expected ',' or '${closing}'`;
  return new KustomizeError(message, { cause: error });
}

const isParserFault = (value: unknown): value is ParserFault =>
  value instanceof Error && "reason" in value && "mark" in value && value.mark !== null;

/** Where the innermost bracket is that is open at a fault which only brackets lead to. */
function openBracket(text: string, { reason, mark }: ParserFault): number | undefined {
  if (!/deficient indentation|within a flow collection|missed comma/.test(reason)) return undefined;
  const bare = text.slice(0, mark.position).replace(noBrackets, (part) => " ".repeat(part.length));
  const open: number[] = [];
  for (const { 0: bracket, index } of bare.matchAll(/[[\]{}]/g)) {
    if (bracket === "[" || bracket === "{") open.push(index);
    else open.pop();
  }
  return open.at(-1);
}

/** Quoted texts and comments. */
const noBrackets = /(?<![^\s[{,:])(?:"(?:[^"\\]|\\.)*"|'[^']*')|(?<!\S)#.*/g;
