import { runParts } from "../run-parts.ts";
import { benchCommits } from "./store-commits.ts";
import { benchCreatesOnEtcd } from "./store-creates.ts";
import { benchMemory } from "./store-memory.ts";
import { benchOpen } from "./store-open.ts";
import { benchReads } from "./store-reads.ts";
import { benchSize } from "./store-size.ts";
import { benchStoreWatchers } from "./store-watchers.ts";

// npm run bench store [PART…]: all parts, or those that are named.
await runParts({
  commits: benchCommits,
  reads: benchReads,
  open: benchOpen,
  watchers: benchStoreWatchers,
  size: benchSize,
  creates: benchCreatesOnEtcd,
  memory: benchMemory,
});
