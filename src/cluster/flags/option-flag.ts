import type { Flags } from "../../cli/flag.ts";
import { refusals, type ServerFlag } from "./server-flag.ts";

/** Some of a server's options: objects may be given in part, everything else is given whole. */
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
  /** What is wrong with a value, in upstream's words where upstream checks it. */
  problems?(value: T, name: string): readonly string[];
  /** The part of the options that a value makes. */
  sets?(value: T): Part<O>;
}

/**
 * Flags that belong together. What several flags make together, or what needs a file, is declared for
 * the group. `V` are the values that the group looks at: its own, and those of other groups.
 */
export interface FlagGroup<O, V> {
  readonly flags: Flags;
  readonly problems?: (values: V, given: ReadonlySet<string>) => readonly string[];
  readonly sets?: (values: V) => Part<O> | Promise<Part<O>>;
}

/** All that is wrong with the values of flags, or asks for what a server does not do. */
export function flagGroupProblems<O, V extends FlagValues>(
  groups: readonly FlagGroup<O, V>[],
  values: V,
  given: ReadonlySet<string>,
): string[] {
  const problems = groups.flatMap((group) => [
    ...optionFlags<O>(group).flatMap(([name, flag]) => flag.problems?.(values[name], name) ?? []),
    ...(group.problems?.(values, given) ?? []),
  ]);
  // A value that is wrong anyway is not rejected again for not being served.
  const isReported = (refusal: string): boolean => {
    const name = /^--[\w-]+/.exec(refusal)?.[0] ?? "";
    return problems.some((problem) => problem.startsWith(`${name} `));
  };
  const refused = groups.flatMap(({ flags }) => refusals(flags, values, given));
  return [...new Set([...problems, ...refused.filter((refusal) => !isReported(refusal))])];
}

/** The options that the values of flags make. */
export async function flagGroupOptions<O extends object, V extends FlagValues>(
  groups: readonly FlagGroup<O, V>[],
  values: V,
): Promise<Part<O>> {
  const options: Record<string, unknown> = {};
  for (const group of groups) {
    // A flag of its own counts more than a file that the group reads.
    merge(options, await group.sets?.(values));
    for (const [name, flag] of optionFlags<O>(group)) merge(options, flag.sets?.(values[name]));
  }
  return options as Part<O>;
}

type FlagValues = Readonly<Record<string, unknown>>;

const optionFlags = <O>({ flags }: { readonly flags: Flags }): [string, OptionFlag<unknown, O>][] =>
  Object.entries(flags as Readonly<Record<string, OptionFlag<unknown, O>>>);

/** Adds a part to options, in place; an object that both have is merged. */
function merge(options: Record<string, unknown>, part: unknown = {}): void {
  for (const [name, value] of Object.entries(part as object)) {
    if (value === undefined) continue;
    const before = options[name];
    if (isRecord(before) && isRecord(value)) merge(before, value);
    else options[name] = isRecord(value) ? copyRecord(value) : value;
  }
}

/** A copy that may be merged into; functions and class instances in it stay themselves. */
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
