import { runParts } from "../run-parts.ts";
import { benchIdleCluster } from "./cluster-idle.ts";
import { benchManyNodes } from "./cluster-nodes.ts";
import { benchReplicas } from "./cluster-replicas.ts";
import { benchScheduler } from "./cluster-scheduler.ts";
import { benchUp } from "./cluster-up.ts";
import { benchFork, benchSeed, benchVirtual } from "./cluster-virtual.ts";

// npm run bench cluster [PART…]: all parts, or those that are named.
await runParts({
  up: benchUp,
  idle: benchIdleCluster,
  replicas: benchReplicas,
  scheduler: benchScheduler,
  nodes: benchManyNodes,
  virtual: benchVirtual,
  fork: benchFork,
  seed: benchSeed,
});
