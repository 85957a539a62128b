import type { Flag, Flags } from "../../cli/flag.ts";
import { formatDuration } from "../../schema/duration.ts";

/** A flag of the API server: what it asks for may be something that this server does not do. */
export interface ServerFlag<T = unknown> extends Flag<T> {
  /** Why a value that was given cannot be had; undefined if it can. */
  refusal?(name: string, value: T): string | undefined;
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

/** A value as it is given. */
function shown(flag: Flag, value: unknown): string {
  if (flag.type === "duration") return formatDuration(BigInt(Math.round(Number(value) * 1e6)));
  return String(value);
}
