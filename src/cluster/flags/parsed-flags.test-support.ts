import type { Flags, Values } from "../../cli/flag.ts";
import { type GivenValues, parseFlag } from "../../cli/parse-flags.ts";

/** The values of flags on a command line, and the names of those that were given. */
export function parsedFlags<F extends Flags>(
  flags: F,
  args: readonly string[],
): { readonly flags: Values<F>; readonly given: ReadonlySet<string> } {
  const given: GivenValues = new Map();
  for (let rest = args; rest.length > 0; ) rest = parseFlag(rest, flags, given);
  const values = Object.entries(flags).map(([name, flag]) => [
    name,
    given.get(name) ?? flag.default,
  ]);
  return { flags: Object.fromEntries(values) as Values<F>, given: new Set(given.keys()) };
}
