import type { Flag, Flags } from "../../cli/flag.ts";
import { type GivenValues, isFlag, parseFlag } from "../../cli/parse-flags.ts";

/** The flag whose value is typed. */
export interface FlagAtWord {
  /** Undefined if the word is no value of a flag. */
  readonly name: string | undefined;
  /** The arguments before the flag. */
  readonly args: readonly string[];
  /** The part of the word that is the value. */
  readonly word: string;
  /** The name of a flag that the command does not have. */
  readonly unknown?: string;
}

/** Finds out whether a word is the value of a flag: `--flag=WORD`, `-f WORD`. */
export function flagAtWord(flags: Flags, args: readonly string[], word: string): FlagAtWord {
  const equals = word.indexOf("=");
  if (word.startsWith("-")) {
    if (equals < 0) return { name: undefined, args, word };
    const typed = word.startsWith("--") ? word.slice(2, equals) : word.slice(equals - 1, equals);
    const name = flagNamed(flags, typed);
    return name === undefined
      ? { name, args, word, unknown: typed }
      : { name, args, word: word.slice(equals + 1) };
  }
  const last = args.at(-1) ?? "";
  const isWhole = /^--[^-=][^=]*$|^-[^-=]+$/.test(last);
  if (!isWhole) return { name: undefined, args, word };
  const typed = last.startsWith("--") ? last.slice(2) : last.slice(-1);
  const name = flagNamed(flags, typed);
  if (name === undefined) return { name, args, word, unknown: typed };
  if (flags[name]?.implied !== undefined) return { name: undefined, args, word };
  return { name, args: args.slice(0, -1), word };
}

function flagNamed(flags: Flags, typed: string): string | undefined {
  if (typed.length === 1) {
    const [name] = Object.entries(flags).find(([, { short }]) => short === typed) ?? [];
    if (name !== undefined) return name;
  }
  const name = typed.replaceAll("_", "-");
  return Object.hasOwn(flags, name) ? name : undefined;
}

/** The arguments that are no flags, and the values of flags; throws for unknown flags. */
export function parsedLine(
  flags: Flags,
  args: readonly string[],
): { readonly given: GivenValues; readonly args: readonly string[]; readonly isEnded: boolean } {
  const given: GivenValues = new Map();
  const plain: string[] = [];
  for (let rest = args; rest.length > 0; ) {
    const [first = "", ...after] = rest;
    if (first === "--") return { given, args: [...plain, ...after], isEnded: true };
    if (isFlag(first)) rest = parseFlag(rest, flags, given);
    else {
      plain.push(first);
      rest = after;
    }
  }
  return { given, args: plain, isEnded: false };
}

/** The names of flags that begin as typed: those that are not given, or may be repeated. */
export function flagWords(flags: Flags, typed: string, given: GivenValues): string[] {
  return Object.entries(flags)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .filter(([name, flag]) => !given.has(name) || mayRepeat(flag))
    .flatMap(([name, flag]) => namesOfFlag(name, flag, typed));
}

const mayRepeat = ({ type }: Flag): boolean =>
  ["strings", "stringArray", "stringToString"].includes(type);

/** A flag with its long and its short name. */
export function namesOfFlag(name: string, flag: Flag, typed: string): string[] {
  if (flag.hidden || flag.deprecated !== undefined) return [];
  const names = [`--${name}`, ...(flag.short === undefined ? [] : [`-${flag.short}`])];
  return names.filter((one) => one.startsWith(typed)).map((one) => `${one}\t${flag.usage}`);
}
