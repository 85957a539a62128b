import { type GoRegexp, goRegexp, regexpFault } from "../../schema/regexp/go-regexp.ts";
import { CelError } from "./cel-value.ts";

const known = new Map<string, GoRegexp | CelError>();
const mostKnown = 500;

/** A regular expression, which is read once; an error if the pattern is none. */
export function knownRegexp(pattern: string): GoRegexp | CelError {
  let found = known.get(pattern);
  if (found === undefined) {
    const fault = regexpFault(pattern);
    found = fault === undefined ? goRegexp(pattern) : new CelError(fault);
    if (known.size >= mostKnown) known.clear();
    known.set(pattern, found);
  }
  return found;
}
