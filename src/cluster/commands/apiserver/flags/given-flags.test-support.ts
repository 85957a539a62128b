import { type GivenValues, parseFlag } from "../../../../cli/parse-flags.ts";
import type { GivenFlags } from "../apiserver-options.ts";
import { type ApiserverFlags, apiserverFlags } from "./apiserver-flags.ts";

/** The flags of a command line. */
export function givenFlags(args: readonly string[]): GivenFlags {
  const given: GivenValues = new Map();
  for (let rest = args; rest.length > 0; ) rest = parseFlag(rest, apiserverFlags, given);
  const values = Object.fromEntries(
    Object.entries(apiserverFlags).map(([name, flag]) => [name, given.get(name) ?? flag.default]),
  );
  return { flags: values as ApiserverFlags, given: new Set(given.keys()) };
}
