import { expect } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { fillHistory, numbers, put, recorder, type SuiteTest } from "./harness-suite.ts";

export function subscriptionsSuite(suiteTest: SuiteTest): void {
  suiteTest("a subscriber receives a batch before the commit is acknowledged", async (store) => {
    const seen: string[] = [];
    store.subscribe("/", { from: 1 }, recorder(seen));
    const answers: number[] = [];
    for (const n of numbers(5)) {
      await store.commit([put("/a", `${n}`)]);
      answers.push(seen.length);
    }
    expect(answers).toEqual([1, 2, 3, 4, 5]);
  });

  suiteTest("a subscriber receives the history first, then new commits", async (store) => {
    await fillHistory(store);
    const seen: string[] = [];
    store.subscribe("/a", { from: 3 }, recorder(seen));
    const before = [...seen];
    await store.commit([put("/a", "4")]);
    expect([before, seen]).toEqual([
      [],
      [
        "4: put /a=2 was /a=1",
        "5: delete /a was /a=2",
        "6: put /a=3 was nothing",
        "7: put /a=4 was /a=3",
      ],
    ]);
  });

  suiteTest("nothing arrives after the end of a subscription", async (store) => {
    const seen: string[] = [];
    const stop = store.subscribe("/", { from: 1 }, recorder(seen));
    await store.commit([put("/a", "1")]);
    stop();
    await store.commit([put("/a", "2")]);
    expect(seen).toEqual(["2: put /a=1 was nothing"]);
  });

  suiteTest(
    "a commit by a subscriber follows the batch that caused it, for all subscribers",
    async (store) => {
      const first: string[] = [];
      const second: string[] = [];
      const commits: Promise<unknown>[] = [];
      const record = recorder(first);
      store.subscribe(
        "/",
        { from: 1 },
        {
          ...record,
          batch: (batch) => {
            record.batch(batch);
            if (batch.revision < 4) commits.push(store.commit([put("/b", `${batch.revision}`)]));
          },
        },
      );
      store.subscribe("/", { from: 1 }, recorder(second));
      await store.commit([put("/a", "1")]);
      while (commits.length > 0) await commits.shift();
      const expected = [
        "2: put /a=1 was nothing",
        "3: put /b=2 was nothing",
        "4: put /b=3 was /b=2",
      ];
      expect([first, second]).toEqual([expected, expected]);
    },
  );

  suiteTest("a subscription whose handler throws ends, and others continue", async (store) => {
    const bad: string[] = [];
    const good: string[] = [];
    store.subscribe(
      "/",
      { from: 1 },
      {
        ...recorder(bad),
        batch: () => {
          throw new Error("no");
        },
      },
    );
    store.subscribe("/", { from: 1 }, recorder(good));
    await store.commit([put("/a", "1")]);
    await store.commit([put("/a", "2")]);
    expect([bad, good.length]).toEqual([["end Invalid 0"], 2]);
  });

  suiteTest("a subscription from a future revision ends", async (store) => {
    const seen: string[] = [];
    store.subscribe("/", { from: 9 }, recorder(seen));
    await eventually(() => expect(seen).toEqual(["end FutureRevision 1"]));
  });
}
