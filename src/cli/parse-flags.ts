import { quote } from "../schema/values/quote.ts";
import type { Flag, Flags } from "./flag.ts";
import { nearest } from "./nearest.ts";

/** The values of the flags on the command line, by name. */
export type GivenValues = Map<string, unknown>;

/** Thrown for an invalid command line; the message is for the user. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  /** All problems; the message has one per line. */
  readonly problems: readonly string[];
  /** A suggestion for a misspelled name. */
  readonly suggestion: string | undefined;

  constructor(problems: string | readonly string[], suggestion?: string) {
    const all = typeof problems === "string" ? [problems] : problems;
    super(all.join("\n"));
    this.problems = all;
    this.suggestion = suggestion;
  }
}

/** Whether an argument is a flag; a single dash is not: it means standard input. */
export function isFlag(argument: string): boolean {
  return argument.startsWith("-") && argument !== "-";
}

/**
 * Parses the first argument, a flag, with its value into `given`, and returns the remaining arguments.
 * The rules are pflag's: `--flag value`, `--flag=value`, `-f value`, `-fvalue`, `-f=value`, `-abc`.
 */
export function parseFlag(
  args: readonly string[],
  flags: Flags,
  given: GivenValues,
): readonly string[] {
  const [first = "", ...rest] = args;
  return first.startsWith("--")
    ? parseLong(first, rest, { flags, given })
    : parseShorts(first.slice(1), rest, { flags, given });
}

interface Target {
  readonly flags: Flags;
  readonly given: GivenValues;
}

function parseLong(argument: string, rest: readonly string[], target: Target): readonly string[] {
  const equals = argument.indexOf("=");
  const name = argument.slice(2, equals < 0 ? undefined : equals);
  if (name === "" || name.startsWith("-")) throw new UsageError(`bad flag syntax: ${argument}`);
  const known = name.replaceAll("_", "-");
  const flag = Object.hasOwn(target.flags, known) ? target.flags[known] : undefined;
  if (flag === undefined) {
    const names = Object.keys(target.flags).filter((other) => !target.flags[other]?.hidden);
    const near = nearest(known, names);
    throw new UsageError(
      `unknown flag: --${name}`,
      near === undefined ? undefined : `Did you mean --${near}?`,
    );
  }
  if (equals >= 0) {
    set(known, flag, { text: argument.slice(equals + 1), given: target.given });
    return rest;
  }
  if (flag.implied !== undefined) {
    set(known, flag, { text: flag.implied, given: target.given });
    return rest;
  }
  const [value, ...after] = rest;
  if (value === undefined) throw new UsageError(`flag needs an argument: --${name}`);
  set(known, flag, { text: value, given: target.given });
  return after;
}

/** Parses shorthand letters in a row; the first that needs a value takes the rest. */
function parseShorts(letters: string, rest: readonly string[], target: Target): readonly string[] {
  const { flags, given } = target;
  for (let at = 0; at < letters.length; at++) {
    const letter = letters.charAt(at);
    const left = letters.slice(at);
    const [name, flag] = Object.entries(flags).find(([, { short }]) => short === letter) ?? [];
    if (name === undefined || flag === undefined) {
      throw new UsageError(`unknown shorthand flag: '${letter}' in -${left}`);
    }
    if (left.length > 2 && left[1] === "=") {
      set(name, flag, { text: left.slice(2), given });
      return rest;
    }
    if (flag.implied !== undefined) {
      set(name, flag, { text: flag.implied, given });
      continue;
    }
    const [value, after] = left.length > 1 ? [left.slice(1), rest] : [rest[0], rest.slice(1)];
    if (value === undefined) {
      throw new UsageError(`flag needs an argument: '${letter}' in -${left}`);
    }
    set(name, flag, { text: value, given });
    return after;
  }
  return rest;
}

function set(name: string, flag: Flag, value: { text: string; given: GivenValues }): void {
  const { text, given } = value;
  try {
    given.set(name, flag.read(text, given.get(name)));
  } catch (cause) {
    const label = flag.short === undefined ? `--${name}` : `-${flag.short}, --${name}`;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`invalid argument ${quote(text)} for ${quote(label)} flag: ${reason}`);
  }
}
