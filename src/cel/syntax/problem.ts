import { type Location, lineOf, type Source } from "./source.ts";

/** Something that is wrong with an expression. */
export interface Problem {
  readonly location: Location;
  readonly message: string;
}

/** Of so many problems each is shown; of more only their number. */
const shownProblems = 100;

/** A line of more bytes than this is not shown. */
const shownBytes = 16384;

/** Shows problems by their place, each with its line and a mark below it. */
export function showProblems(source: Source, problems: readonly Problem[]): string {
  const shown = problems
    .slice(0, shownProblems)
    .sort((a, b) => a.location.line - b.location.line || a.location.column - b.location.column)
    .map((problem) => showProblem(source, problem));
  const left = problems.length - shownProblems;
  return [...shown, ...(left > 0 ? [`${left} more errors were truncated`] : [])].join("\n");
}

function showProblem(source: Source, { location, message }: Problem): string {
  const head = `ERROR: <input>:${location.line}:${location.column + 1}: ${message}`;
  const line = lineOf(source, location.line);
  if (line === undefined || byteLength(line) > shownBytes) return head;
  const characters = Array.from(line.replaceAll("\t", " "));
  const before = characters.slice(0, Math.max(location.column, 0));
  const dots = before.map((character) => (isWide(character) ? "\uff0e" : ".")).join("");
  const at = characters[before.length];
  const mark = at !== undefined && isWide(at) ? "\uff3e" : "^";
  return `${head}\n | ${characters.join("")}\n | ${dots}${mark}`;
}

/** Whether a character takes more than one byte: its dot is drawn as wide as it may be. */
const isWide = (character: string): boolean => character > "\u007f";

const byteLength = (text: string): number => new TextEncoder().encode(text).length;
