import { type GivenValues, parseFlag } from "../../../../cli/parse-flags.ts";
import { type ControllerManagerFlags, controllerManagerFlags } from "./controller-manager-flags.ts";

/** The flags of a command line. */
export function givenControllerManagerFlags(...args: readonly string[]): {
  readonly flags: ControllerManagerFlags;
  readonly given: ReadonlySet<string>;
} {
  const given: GivenValues = new Map();
  for (let rest = args; rest.length > 0; ) rest = parseFlag(rest, controllerManagerFlags, given);
  const values = Object.entries(controllerManagerFlags).map(([name, flag]) => [
    name,
    given.get(name) ?? flag.default,
  ]);
  return {
    flags: Object.fromEntries(values) as ControllerManagerFlags,
    given: new Set(given.keys()),
  };
}
