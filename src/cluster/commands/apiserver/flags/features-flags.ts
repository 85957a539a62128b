import { boolFlag, stringFlag } from "../../../../cli/flag.ts";
import { later, only } from "../../../flags/server-flag.ts";
import { coreFlag, flagGroup } from "./apiserver-flag.ts";

const noProfiling = { because: "/debug/pprof is not served" };

export const featuresFlags = flagGroup("Features flags", {
  profiling: only([false], noProfiling, boolFlag({ usage: "whether to serve /debug/pprof" })),
  "contention-profiling": only(
    [false],
    noProfiling,
    boolFlag({ usage: "whether to profile lock contention, too" }),
  ),
  "debug-socket-path": later(
    "profiling",
    stringFlag({ usage: "the `FILE` of a unix socket for profiling without authentication" }),
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
