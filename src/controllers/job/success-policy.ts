import type { SuccessPolicy } from "../../api/batch/v1/job-policies.ts";
import { type IndexSet, parseIndexes, sharedSize, sizeOf } from "./index-set.ts";

/** Says which rule of a success policy is met; undefined if none is. */
export function metSuccessRule(
  policy: SuccessPolicy | undefined,
  succeeded: IndexSet,
  completions: number,
): string | undefined {
  if (succeeded.length === 0) return undefined;
  const index = (policy?.rules ?? []).findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined)
      return succeededCount !== undefined && sizeOf(succeeded) >= succeededCount;
    const required = parseIndexes(succeededIndexes, completions);
    if (required.length === 0) return false;
    return sharedSize(required, succeeded) >= (succeededCount ?? sizeOf(required));
  });
  return index < 0 ? undefined : `Matched rules at index ${index}`;
}
