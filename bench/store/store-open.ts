import { realClock } from "../../src/platform/real-clock.ts";
import { openLmdbStore } from "../../src/store/lmdb/lmdb-store.ts";
import { median, verdict } from "../apiserver/apiserver-verdict.ts";
import { fill, podKeys, timed, withStores } from "./store-context.ts";

const keys = 100_000;

/** How long a store of 100,000 objects takes to open. */
export function benchOpen(): Promise<void> {
  return withStores(async ({ path, lmdb }) => {
    await fill(lmdb, podKeys(keys), 1);
    await lmdb.close();
    const times: number[] = [];
    const processor: number[] = [];
    for (let round = 0; round < 5; round++) {
      let store = lmdb;
      const before = process.cpuUsage();
      const ms = await timed(async () => {
        store = await openLmdbStore({ path, clock: realClock });
      });
      times.push(ms);
      const { user, system } = process.cpuUsage(before);
      processor.push((user + system) / 1000);
      const { entries, remaining } = await store.list("", { limit: 1 });
      if (entries.length + remaining !== keys) throw new Error("keys are missing");
      await store.close();
    }
    const show = (all: readonly number[]): string => all.map((ms) => ms.toFixed(0)).join(", ");
    console.log(`\nopened in ${show(times)} ms, with ${show(processor)} ms of processor`);
    verdict("open with 100,000 objects", median(times), { most: 500, unit: "ms" });
  });
}
