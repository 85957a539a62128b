import { runParts } from "../run-parts.ts";
import { benchIdle } from "./apiserver-idle.ts";
import { benchCreates, benchGet, benchList } from "./apiserver-requests.ts";
import { benchStart } from "./apiserver-start.ts";
import { benchIdleWatchers, benchWatchers } from "./apiserver-watch.ts";

// npm run bench apiserver [PART…]: all parts, or those that are named.
await runParts({
  start: benchStart,
  idle: benchIdle,
  get: benchGet,
  list: benchList,
  create: benchCreates,
  watch: benchWatchers,
  watchers: benchIdleWatchers,
});
