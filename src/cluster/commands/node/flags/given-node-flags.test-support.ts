import { type GivenValues, parseFlag } from "../../../../cli/parse-flags.ts";
import type { GivenNodeFlags } from "../node-options.ts";
import { type NodeFlags, nodeFlags } from "./node-flags.ts";

/** The flags of a command line. */
export function givenNodeFlags(args: readonly string[]): GivenNodeFlags {
  const given: GivenValues = new Map();
  for (let rest = args; rest.length > 0; ) rest = parseFlag(rest, nodeFlags, given);
  const values = Object.fromEntries(
    Object.entries(nodeFlags).map(([name, flag]) => [
      name,
      given.has(name) ? given.get(name) : flag.default,
    ]),
  );
  return { flags: values as NodeFlags, given: new Set(given.keys()) };
}
