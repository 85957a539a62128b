import { expect } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import {
  brief,
  fillHistory,
  outcomeOf,
  put,
  recorder,
  remove,
  type SuiteTest,
  show,
  showBatch,
  take,
} from "./harness-suite.ts";

export function compactionSuite(suiteTest: SuiteTest): void {
  suiteTest(
    "what was superseded goes, and the compacted revision stays readable",
    async (store) => {
      await fillHistory(store);
      await store.compact(4);
      const reads = await Promise.all([
        outcomeOf(store.list("/", { revision: 3 }).then(({ entries }) => entries.map(brief))),
        outcomeOf(store.get("/b", 3).then(brief)),
        outcomeOf(store.list("/", { revision: 4 }).then(({ entries }) => entries.map(brief))),
        outcomeOf(store.get("/a", 5).then(brief)),
        outcomeOf(store.list("/").then(({ entries }) => entries.map(brief))),
      ]);
      expect(reads).toEqual([
        "Compacted 4",
        "Compacted 4",
        ["/a=2", "/b=1"],
        "nothing",
        ["/a=3", "/b=1"],
      ]);
    },
  );

  suiteTest("a watch may start at the compacted revision, not before", async (store) => {
    await fillHistory(store);
    await store.compact(4);
    const seen: string[] = [];
    store.subscribe("/", { from: 3 }, recorder(seen));
    const [late, whole] = await Promise.all([
      outcomeOf(take(store.watch("/", { from: 3 }), 1)),
      take(store.watch("/", { from: 4 }), 2),
    ]);
    expect([late, whole.map(showBatch)]).toEqual([
      "Compacted 4",
      ["5: delete /a was /a=2", "6: put /a=3 was nothing"],
    ]);
    await eventually(() => expect(seen).toEqual(["end Compacted 4"]));
  });

  suiteTest("a watch that has caught up survives a compaction", async (store) => {
    const watch = take(store.watch("/p", { from: 1 }), 2);
    await store.commit([put("/p", "1")]);
    await store.commit([put("/q", "1")]);
    await store.commit([put("/q", "2")]);
    await store.compact(4);
    await store.commit([put("/p", "2")]);
    expect((await watch).map(showBatch)).toEqual([
      "2: put /p=1 was nothing",
      "5: put /p=2 was /p=1",
    ]);
  });

  suiteTest("a compaction at a compacted or future revision is rejected", async (store) => {
    await fillHistory(store);
    await store.compact(4);
    const outcomes = await Promise.all(
      [4, 2, 7].map((revision) => outcomeOf(store.compact(revision))),
    );
    expect(outcomes).toEqual(["Compacted 4", "Compacted 4", "FutureRevision 6"]);
  });

  suiteTest("a key's version continues to count after a compaction", async (store) => {
    await fillHistory(store);
    await store.compact(6);
    await store.commit([put("/a", "4"), remove("/b")]);
    await store.compact(7);
    await store.commit([put("/b", "2")]);
    expect((await store.list("/")).entries.map(show)).toEqual([
      "/a=4 created 6 modified 7 version 2",
      "/b=2 created 8 modified 8 version 1",
    ]);
  });
}
