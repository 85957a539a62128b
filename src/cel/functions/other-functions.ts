import { CelError, CelList, type CelValue } from "../values/cel-value.ts";
import { isEqual } from "../values/equal-values.ts";
import { elementsOf } from "../values/list.ts";
import { type Implementations, one, two } from "./implementation.ts";

/** A device has at most so many values of an attribute. */
const mostValues = 48;

/** The functions that only some environments have: for device selectors, and for JSON patches. */
export const otherFunctions: Implementations = {
  dra_includes_dyn_dyn: two((target: CelValue, value: CelValue) => {
    if (!(target instanceof CelList)) return isEqual(target, value);
    const found = elementsOf(target).slice(0, mostValues);
    if (found.some((element) => isEqual(element, value))) return true;
    return target.size <= mostValues
      ? false
      : new CelError(
          `'includes' function cannot be applied to lists longer than ${mostValues} values`,
        );
  }),
  string_jsonpatch_escapeKey_string: one((key: string) =>
    key.replace(/[~/]/g, (character) => (character === "~" ? "~0" : "~1")),
  ),
};
