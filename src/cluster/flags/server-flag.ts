import type { Flag, Flags } from "../../cli/flag.ts";
import { formatDuration } from "../../schema/values/duration.ts";

/** A flag of a server: what it asks for may be something that this server does not do. */
export interface ServerFlag<T = unknown> extends Flag<T> {
  /** Why a value that was given cannot be had; undefined if it can. */
  refusal?(name: string, value: T): string | undefined;
  /** Why a value that was given changes nothing, which is told at start. */
  readonly withoutEffect?: string;
}

/** A flag of a part that is not there yet: it is known, and giving it is an error that says so. */
export function later<T>(part: string, flag: Flag<T>): ServerFlag<T> {
  return {
    ...flag,
    usage: `${flag.usage} (not served yet)`,
    refusal: (name) => `--${name} is not served yet: ${part} is not part of this version`,
  };
}

/** A flag that is there for the sake of those who give it: only values that say what is done anyway are taken. */
export function only<T>(
  accepted: readonly T[],
  { because }: { readonly because: string },
  flag: Flag<T>,
): ServerFlag<T> {
  const texts = accepted.map((value) => shown(flag, value));
  const listed = texts.filter((text) => text !== "");
  const note = listed.length === 0 ? "not served yet" : `only ${listed.join(" or ")} is served`;
  return {
    ...flag,
    usage: `${flag.usage} (${note})`,
    refusal(name, value) {
      const text = shown(flag, value);
      return texts.includes(text) ? undefined : `--${name}=${text} is not served: ${because}`;
    },
  };
}

/** A flag that is taken from whoever gives it, and changes nothing: that is said in help and at start. */
export function withoutEffect<T>(because: string, flag: Flag<T>): ServerFlag<T> {
  return { ...flag, usage: `${flag.usage} (without effect yet)`, withoutEffect: because };
}

/** Flags that stand under one heading in help. */
export function section<const F extends Flags>(title: string, flags: F): F {
  const entries = Object.entries(flags).map(([name, flag]) => [name, { ...flag, section: title }]);
  return Object.fromEntries(entries) as F;
}

/** What cannot be had of the values that were given. */
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

/** What is to be told of flags that were given and change nothing. */
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
