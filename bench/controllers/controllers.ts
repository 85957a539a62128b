import { runParts } from "../run-parts.ts";
import { benchClaims } from "./claims.ts";
import { benchIdle } from "./idle.ts";
import { benchUp } from "./up.ts";
import { benchDaemonSet, benchJob, benchStatefulSet } from "./workloads.ts";

// npm run bench controllers [-- --against CHECKOUT] [PART…]: all parts, or those that are named.
await runParts({
  job: benchJob,
  ordered: benchStatefulSet("OrderedReady", 0.02),
  parallel: benchStatefulSet("Parallel", 0.1),
  daemonset: benchDaemonSet,
  claims: benchClaims,
  idle: benchIdle,
  up: benchUp,
});
