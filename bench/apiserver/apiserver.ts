import { runParts } from "../run-parts.ts";
import { benchAccess } from "./apiserver-access.ts";
import { benchAudit } from "./apiserver-audit.ts";
import { benchCpu } from "./apiserver-cpu.ts";
import { benchFairness, benchLeases } from "./apiserver-fairness.ts";
import { benchIdle } from "./apiserver-idle.ts";
import { benchCreates, benchGet, benchList } from "./apiserver-requests.ts";
import { benchStart } from "./apiserver-start.ts";
import { benchIdleWatchers, benchWatchers } from "./apiserver-watch.ts";

// npm run bench apiserver -- [--against CHECKOUT] [PART…]: all parts, or those that are named. The part
// `cpu` measures the server of another checkout of the project beside this one's.
await runParts({
  start: benchStart,
  idle: benchIdle,
  get: benchGet,
  list: benchList,
  create: benchCreates,
  cpu: benchCpu,
  access: benchAccess,
  audit: benchAudit,
  fairness: benchFairness,
  leases: benchLeases,
  watch: benchWatchers,
  watchers: benchIdleWatchers,
});
