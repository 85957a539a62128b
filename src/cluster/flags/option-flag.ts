import type { Flags } from "../../cli/flag.ts";
import { refusals, type ServerFlag } from "./server-flag.ts";

/** A part of a server's options: objects may be partial, other values are complete. */
export type Part<T> = T extends Whole
  ? T
  : { readonly [Name in keyof T]?: Part<NonNullable<T[Name]>> | undefined };

type Whole =
  | string
  | number
  | boolean
  | bigint
  | readonly unknown[]
  | ReadonlyMap<unknown, unknown>
  | ((...args: never[]) => unknown);

/** A flag of a server whose options are `O`, declared with the option that it sets. */
export interface OptionFlag<T, O> extends ServerFlag<T> {
  /** The problems of a value, in upstream's words where upstream checks it. */
  problems?(value: T, name: string): readonly string[];
  /** The part of the options that a value sets. */
  sets?(value: T): Part<O>;
}

/**
 * Flags that belong together. Options that depend on several flags, or on a file, are declared for the
 * group. `V` are the values that the group reads: its own, and those of other groups.
 */
export interface FlagGroup<O, V> {
  readonly flags: Flags;
  readonly problems?: (values: V, given: ReadonlySet<string>) => readonly string[];
  readonly sets?: (values: V, given: ReadonlySet<string>) => Part<O> | Promise<Part<O>>;
}

/** All problems of flag values, including values that the server does not support. */
export function flagGroupProblems<O, V extends FlagValues>(
  groups: readonly FlagGroup<O, V>[],
  values: V,
  given: ReadonlySet<string>,
): string[] {
  const problems = groups.flatMap((group) => [
    ...optionFlags<O>(group).flatMap(([name, flag]) => flag.problems?.(values[name], name) ?? []),
    ...(group.problems?.(values, given) ?? []),
  ]);
  // An invalid value is not reported again as unsupported.
  const isReported = (refusal: string): boolean => {
    const name = /^--[\w-]+/.exec(refusal)?.[0] ?? "";
    return problems.some((problem) => problem.startsWith(`${name} `));
  };
  const refused = groups.flatMap(({ flags }) => refusals(flags, values, given));
  return [...new Set([...problems, ...refused.filter((refusal) => !isReported(refusal))])];
}

/** The options that the values of flags set. */
export async function flagGroupOptions<O extends object, V extends FlagValues>(
  groups: readonly FlagGroup<O, V>[],
  values: V,
  given: ReadonlySet<string> = new Set(),
): Promise<Part<O>> {
  const options: Record<string, unknown> = {};
  for (const group of groups) {
    // A single flag overrides a file that the group reads.
    merge(options, await group.sets?.(values, given));
    for (const [name, flag] of optionFlags<O>(group)) merge(options, flag.sets?.(values[name]));
  }
  return options as Part<O>;
}

type FlagValues = Readonly<Record<string, unknown>>;

const optionFlags = <O>({ flags }: { readonly flags: Flags }): [string, OptionFlag<unknown, O>][] =>
  Object.entries(flags as Readonly<Record<string, OptionFlag<unknown, O>>>);

/** Adds a part to options in place, and merges objects. */
function merge(options: Record<string, unknown>, part: unknown = {}): void {
  for (const [name, value] of Object.entries(part as object)) {
    if (value === undefined) continue;
    const before = options[name];
    if (isRecord(before) && isRecord(value)) merge(before, value);
    else options[name] = isRecord(value) ? copyRecord(value) : value;
  }
}

/** Copies plain objects for merging; functions and class instances are shared. */
function copyRecord(record: Record<string, unknown>): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  merge(copy, record);
  return copy;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** Rejects negative numbers, in upstream's words. */
export const notNegative = (value: number, name: string): string[] =>
  value < 0 ? [`--${name} can not be negative value`] : [];
