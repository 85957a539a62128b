import { VirtualClock } from "../base/virtual-clock.ts";
import { MemoryStore } from "../store/memory/memory-store.ts";
import { inProcessHarness } from "./in-process-harness.test-support.ts";
import { apiSuite } from "./suite/api-suite.ts";
import { newYear } from "./suite/harness-suite.ts";

for (const wantsValues of [false, true])
  apiSuite(wantsValues ? "in process, with values" : "in process", {
    async open(before) {
      const clock = new VirtualClock(newYear);
      const store = new MemoryStore(clock);
      await before(store);
      return inProcessHarness(store, clock, { wantsValues });
    },
  });
