import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { inProcessHarness } from "../../src/apiserver/in-process-harness.test-support.ts";
import { apiSuite } from "../../src/apiserver/suite/api-suite.ts";
import { newYear } from "../../src/apiserver/suite/harness-suite.ts";
import { VirtualClock } from "../../src/base/virtual-clock.ts";
import { type LmdbStore, openLmdbStore } from "../../src/store/lmdb/lmdb-store.ts";

const root = await mkdtemp(join(tmpdir(), "wherry-api-"));
let stores = 0;

afterAll(() => rm(root, { recursive: true, force: true }));

apiSuite("on disk", {
  async open(before) {
    let store: LmdbStore | undefined;
    const settle = async (): Promise<void> => {
      await store?.settled();
      for (let i = 0; i < 100; i++) await undefined;
    };
    const clock = new VirtualClock(newYear, { settle });
    store = await openLmdbStore({ path: join(root, String(stores++)), clock });
    await before(store);
    return inProcessHarness(store, clock);
  },
});
