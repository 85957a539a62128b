import { test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import type { Store } from "../store.ts";
import { compactionSuite } from "./compaction-suite.ts";
import { endingsSuite } from "./endings-suite.ts";
import { expirySuite } from "./expiry-suite.ts";
import type { SuiteTest } from "./harness-suite.ts";
import { preconditionsSuite } from "./preconditions-suite.ts";
import { readsSuite } from "./reads-suite.ts";
import { revisionsSuite } from "./revisions-suite.ts";
import { robustnessSuite } from "./robustness-suite.ts";
import { subscriptionsSuite } from "./subscriptions-suite.ts";
import { watchesSuite } from "./watches-suite.ts";

export interface StoreSuiteOptions {
  /** A new, empty store. */
  open(clock: VirtualClock): Promise<Store>;
  /**
   * Where the store keeps its own time, and not that of the clock: how late a key may go. Nobody may
   * count on more: an etcd looks for what has expired now and then, and needs a leader for it.
   */
  readonly lateMs?: number;
  /** Lets a timer's work on the store come to rest; needed where the work is not only microtasks. */
  settle?(): Promise<void>;
}

/** What every store promises, as tests; run on each backend. */
export function storeSuite(name: string, options: StoreSuiteOptions): void {
  const { settle } = options;
  const suiteTest: SuiteTest = (title, run) =>
    test(`${name}: ${title}`, async () => {
      const clock = new VirtualClock(1_000_000, settle && { settle: () => settle() });
      const store = await options.open(clock);
      try {
        await run(store, clock);
      } finally {
        await store.close();
      }
    });

  revisionsSuite(suiteTest);
  preconditionsSuite(suiteTest);
  readsSuite(suiteTest);
  watchesSuite(suiteTest);
  subscriptionsSuite(suiteTest);
  compactionSuite(suiteTest);
  robustnessSuite(suiteTest);
  expirySuite(suiteTest, options.lateMs);
  endingsSuite(suiteTest);
}
