import { UsageError } from "../../../cli/parse-flags.ts";
import { chooseFeatures, heededFeatures } from "../../flags/ignored-features.ts";
import { notices } from "../../flags/server-flag.ts";
import { shownFlags } from "../../flags/shown-flags.ts";
import type { StartOptions } from "./apiserver.ts";
import {
  type ApiserverFlags,
  apiserverFlags,
  flagOptions,
  flagProblems,
} from "./flags/apiserver-flags.ts";

/** The values of all flags, and the names of those that were given. */
export interface GivenFlags {
  readonly flags: ApiserverFlags;
  readonly given: ReadonlySet<string>;
}

/** The options of the server for the given flags; throws a UsageError with all their problems. */
export async function startOptions({ flags, given }: GivenFlags): Promise<StartOptions> {
  const problems = flagProblems(flags, given);
  const gates = flags["feature-gates"];
  const { features, warnings } = await chooseFeatures(gates, problems, heededFeatures);
  if (problems.length > 0) throw new UsageError(problems);
  const options = await flagOptions(flags, given);
  return {
    ...options,
    features,
    core: { ...options.core, flags: shownFlags(apiserverFlags, flags) },
    warnings: [...notices(apiserverFlags, given), ...warnings, ...(options.warnings ?? [])],
  };
}
