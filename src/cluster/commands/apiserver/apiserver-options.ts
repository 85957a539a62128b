import { UsageError } from "../../../cli/parse-flags.ts";
import { ignoredFeatures } from "../../flags/ignored-features.ts";
import { shownFlags } from "../../flags/shown-flags.ts";
import type { StartOptions } from "./apiserver.ts";
import {
  type ApiserverFlags,
  apiserverFlags,
  flagOptions,
  flagProblems,
} from "./flags/apiserver-flags.ts";

/** The values of all flags, and which of them somebody gave. */
export interface GivenFlags {
  readonly flags: ApiserverFlags;
  readonly given: ReadonlySet<string>;
}

/** What to start, by the flags that were given; throws a UsageError that says all that is wrong with them. */
export async function startOptions({ flags, given }: GivenFlags): Promise<StartOptions> {
  const problems = flagProblems(flags, given);
  const ignored = await ignoredFeatures(flags["feature-gates"], problems);
  if (problems.length > 0) throw new UsageError(problems);
  const options = await flagOptions(flags);
  return {
    ...options,
    core: { ...options.core, flags: shownFlags(apiserverFlags, flags) },
    warnings: [...ignored, ...(options.warnings ?? [])],
  };
}
