import { expect } from "vitest";
import {
  failure,
  fillHistory,
  numbers,
  put,
  remove,
  type SuiteTest,
  showBatch,
  take,
} from "./harness-suite.ts";

export function watchesSuite(suiteTest: SuiteTest): void {
  suiteTest(
    "a watch delivers every commit under its prefix, with previous values",
    async (store) => {
      await fillHistory(store);
      await store.commit([put("/c", "1"), remove("/a"), put("/b", "2")]);
      expect((await take(store.watch("/", { from: 1 }), 6)).map(showBatch)).toEqual([
        "2: put /a=1 was nothing",
        "3: put /b=1 was nothing",
        "4: put /a=2 was /a=1",
        "5: delete /a was /a=2",
        "6: put /a=3 was nothing",
        "7: put /c=1 was nothing, delete /a was /a=3, put /b=2 was /b=1",
      ]);
    },
  );

  suiteTest("a watch delivers only its prefix, in one batch per commit", async (store) => {
    const watch = take(store.watch("/p/", { from: 1 }), 2);
    await store.commit([put("/o", "1"), put("/p/1", "1"), put("/p/2", "1"), put("/q", "1")]);
    await store.commit([put("/o", "2")]);
    await store.commit([remove("/p/2"), remove("/q")]);
    expect((await watch).map(showBatch)).toEqual([
      "2: put /p/1=1 was nothing, put /p/2=1 was nothing",
      "4: delete /p/2 was /p/2=1",
    ]);
  });

  suiteTest(
    "a watch goes on from the past to the present without gap or duplicate",
    async (store) => {
      const commit = (n: number) => store.commit([put(`/${n % 7}`, `${n}`)]);
      await Promise.all(numbers(600).map(commit));
      const watch = take(store.watch("/", { from: 100 }), 1101);
      await Promise.all(numbers(600).map(commit));
      expect((await watch).map(({ revision }) => revision)).toEqual(
        numbers(1101).map((n) => n + 101),
      );
    },
  );

  suiteTest(
    "a watch with progress reports the revisions of commits outside its prefix",
    async (store) => {
      await store.commit([put("/q", "1")]);
      const seen: string[] = [];
      const watching = (async () => {
        for await (const batch of store.watch("/p/", { from: 1, progress: true })) {
          seen.push(showBatch(batch));
          if (batch.revision === 4) break;
        }
      })();
      await store.commit([put("/p/1", "1")]);
      await store.commit([put("/q", "1")]);
      await watching;
      // Before what touches the prefix nothing needs to be said.
      if (seen[0] === "2: ") seen.shift();
      expect(seen).toEqual(["3: put /p/1=1 was nothing", "4: "]);
    },
  );

  suiteTest("a watch from a future revision fails", async (store) => {
    const error = await failure(take(store.watch("/", { from: 2 }), 1));
    expect([error.code, error.revision]).toEqual(["FutureRevision", 1]);
  });

  suiteTest("a slow watcher is dropped with a reason, and does not delay others", async (store) => {
    const slow = store.watch("/", { from: 1, buffer: 3 })[Symbol.asyncIterator]();
    const fast = take(store.watch("/", { from: 1, buffer: 3 }), 10);
    const first = slow.next();
    for (const n of numbers(10)) await store.commit([put("/a", `${n}`)]);
    const error = await failure(first.then(() => slow.next()));
    const seen = (await fast).map(({ revision }) => revision);
    expect([error.code, error.revision, seen]).toEqual([
      "SlowWatcher",
      2,
      numbers(10).map((n) => n + 2),
    ]);
  });

  suiteTest("a dropped watcher resumes where it stopped reading", async (store) => {
    const slow = store.watch("/", { from: 1, buffer: 2 })[Symbol.asyncIterator]();
    const first = slow.next();
    for (const n of numbers(6)) await store.commit([put("/a", `${n}`)]);
    const { revision } = await failure(first.then(() => slow.next()));
    const rest = await take(store.watch("/", { from: revision }), 5);
    expect(rest.map((batch) => batch.revision)).toEqual([3, 4, 5, 6, 7]);
  });

  suiteTest("a watcher that reads a long history is not dropped as slow", async (store) => {
    for (const n of numbers(20)) await store.commit([put("/a", `${n}`)]);
    const seen = await take(store.watch("/", { from: 1, buffer: 1 }), 20);
    expect(seen.length).toBe(20);
  });

  suiteTest("a signal ends a watch without an error", async (store) => {
    const controller = new AbortController();
    const watch = take(store.watch("/", { from: 1, signal: controller.signal }), 2);
    await store.commit([put("/a", "1")]);
    controller.abort();
    expect((await watch).length).toBeLessThan(2);
  });
}
