import { goRegexp, regexpFault } from "../../schema/regexp/go-regexp.ts";
import type { RegexpProgram } from "../../schema/regexp/regexp-program.ts";
import { CelError } from "./cel-value.ts";

const known = new Map<string, RegexpProgram | CelError>();
const mostKnown = 500;

/** A regular expression, which is read once; an error if the pattern is none. */
export function knownRegexp(pattern: string): RegexpProgram | CelError {
  let found = known.get(pattern);
  if (found === undefined) {
    const fault = regexpFault(pattern);
    found = fault === undefined ? goRegexp(pattern) : new CelError(fault);
    if (known.size >= mostKnown) known.clear();
    known.set(pattern, found);
  }
  return found;
}
