import type { RegexpMatch } from "../../schema/regexp/regexp-program.ts";
import { CelError, type CelValue } from "../values/cel-value.ts";
import { knownRegexp } from "../values/known-regexp.ts";
import { ArrayList } from "../values/list.ts";
import { all, type Implementations, two } from "./implementation.ts";

/** The functions that look for matches of regular expressions. */
export const searchFunctions: Implementations = {
  string_find_string: two((text: string, pattern: string) =>
    search(text, pattern, ([first]) => first?.text ?? ""),
  ),
  string_find_all_string: two((text: string, pattern: string) => findAll(text, pattern, -1n)),
  string_find_all_string_int: all(findAll),
};

/** At most so many matches; -1 is without limit. */
function findAll(text: string, pattern: string, count: bigint): CelValue {
  return search(text, pattern, (matches) => {
    const found: string[] = [];
    if (count === 0n) return new ArrayList(found);
    for (const match of matches) {
      found.push(match.text);
      if (BigInt(found.length) === count) break;
    }
    return new ArrayList(found);
  });
}

function search(
  text: string,
  pattern: string,
  read: (matches: Iterable<RegexpMatch>) => CelValue,
): CelValue {
  const regexp = knownRegexp(pattern);
  return regexp instanceof CelError
    ? new CelError(`Illegal regex: ${regexp.message}`)
    : read(regexp.matches(text));
}
