import { boolFlag, stringFlag } from "../../../../cli/flag.ts";
import { profilingFlags } from "../../../flags/profiling-flags.ts";
import { coreFlag, flagGroup, optionFlag } from "./apiserver-flag.ts";

const { profiling, "contention-profiling": contention } = profilingFlags({
  profiling: false,
  contention: false,
});

export const featuresFlags = flagGroup("Features flags", {
  profiling: optionFlag(profiling, {
    sets: (servesProfiles) => ({ servesProfiles }),
  }),
  "contention-profiling": contention,
  "debug-socket-path": optionFlag(
    stringFlag({
      usage:
        "the `FILE` of a Unix socket that serves the profiles to its owner, without authentication",
    }),
    { sets: (debugSocket) => (debugSocket === "" ? {} : { debugSocket }) },
  ),
  "enable-priority-and-fairness": coreFlag(
    "priorityAndFairness",
    boolFlag({
      usage:
        "whether requests wait for their turn, by priority and fairly among users, when there are more than --max-requests-inflight and --max-mutating-requests-inflight allow together; if not, those beyond one of the two limits are rejected",
      default: true,
    }),
  ),
});
