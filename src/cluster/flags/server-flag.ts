import type { Flag, Flags } from "../../cli/flag.ts";
import { formatDuration } from "../../schema/values/duration.ts";

/** A flag of a server; the server may not support all of its values. */
export interface ServerFlag<T = unknown> extends Flag<T> {
  /** Why a value that was given is not supported; undefined if it is. */
  refusal?(name: string, value: T): string | undefined;
  /** Why a value that was given changes nothing, which is logged at start. */
  readonly withoutEffect?: string;
}

/** A flag of a part that is not implemented yet: giving it is an error that says so. */
export function later<T>(part: string, flag: Flag<T>): ServerFlag<T> {
  return {
    ...flag,
    usage: `${flag.usage} (not supported yet)`,
    refusal: (name) => `--${name} is not supported yet: ${part} is not part of this version`,
  };
}

/** A flag that exists for compatibility: it accepts only values that match what the server does anyway. */
export function only<T>(
  accepted: readonly T[],
  { because }: { readonly because: string },
  flag: Flag<T>,
): ServerFlag<T> {
  const texts = accepted.map((value) => shown(flag, value));
  const listed = texts.filter((text) => text !== "");
  const note =
    listed.length === 0 ? `not supported: ${because}` : `only ${listed.join(" or ")} is supported`;
  return {
    ...flag,
    usage: `${flag.usage} (${note})`,
    refusal(name, value) {
      const text = shown(flag, value);
      return texts.includes(text) ? undefined : `--${name}=${text} is not supported: ${because}`;
    },
  };
}

/** A flag of something that does not exist here, by design: values other than those accepted are an error that says why. */
export function refused<T>(
  because: string,
  flag: Flag<T>,
  accepted: readonly T[] = [],
): ServerFlag<T> {
  return {
    ...flag,
    usage: `${flag.usage} (not supported: ${because})`,
    refusal: (name, value) =>
      accepted.includes(value) ? undefined : `--${name} is not supported: ${because}`,
  };
}

/** A flag that is accepted and changes nothing: help says so, and a warning at start. */
export function withoutEffect<T>(because: string, flag: Flag<T>): ServerFlag<T> {
  return { ...flag, usage: `${flag.usage} (has no effect yet)`, withoutEffect: because };
}

/** Flags that stand under one heading in help. */
export function section<const F extends Flags>(title: string, flags: F): F {
  const entries = Object.entries(flags).map(([name, flag]) => [name, { ...flag, section: title }]);
  return Object.fromEntries(entries) as F;
}

/** Why values that were given are not supported. */
export function refusals(
  flags: Readonly<Record<string, ServerFlag>>,
  values: Readonly<Record<string, unknown>>,
  given: ReadonlySet<string>,
): string[] {
  return Object.entries(flags).flatMap(([name, flag]) => {
    const why = given.has(name) ? flag.refusal?.(name, values[name]) : undefined;
    return why === undefined ? [] : [why];
  });
}

/** Warnings for flags that were given and change nothing. */
export function notices(
  flags: Readonly<Record<string, ServerFlag>>,
  given: ReadonlySet<string>,
): string[] {
  return Object.entries(flags).flatMap(([name, { withoutEffect }]) =>
    given.has(name) && withoutEffect !== undefined
      ? [`--${name} has no effect: ${withoutEffect}`]
      : [],
  );
}

/** A value as it is given. */
function shown(flag: Flag, value: unknown): string {
  if (flag.type === "duration") return formatDuration(BigInt(Math.round(Number(value) * 1e6)));
  return String(value);
}
