import { expect } from "vitest";
import { lease, put, recorder, remove, type SuiteTest, show } from "./harness-suite.ts";

export function expirySuite(suiteTest: SuiteTest): void {
  suiteTest("keys expire at their time, in one commit, as watchers see", async (store, clock) => {
    await store.commit([lease("/a", 1000), lease("/b", 1000), put("/c", "1"), lease("/d", 2000)]);
    const seen: string[] = [];
    store.subscribe("/", { from: 2 }, recorder(seen));
    await clock.advance(999);
    const before = (await store.list("/")).entries.length;
    await clock.advance(1);
    const after = (await store.list("/")).entries.map(({ key }) => key);
    expect([before, after, seen]).toEqual([
      4,
      ["/c", "/d"],
      ["3: delete /a was /a=x, delete /b was /b=x"],
    ]);
  });

  suiteTest("a put renews or ends the time to live", async (store, clock) => {
    await store.commit([lease("/renewed", 1000), lease("/ended", 1000), lease("/left", 1000)]);
    await clock.advance(600);
    await store.commit([lease("/renewed", 1000), put("/ended", "1")]);
    await clock.advance(600);
    const between = (await store.list("/")).entries.map(({ key }) => key);
    await clock.advance(400);
    const after = (await store.list("/")).entries.map(({ key }) => key);
    expect([between, after]).toEqual([["/ended", "/renewed"], ["/ended"]]);
  });

  suiteTest("a key created again does not inherit the time to live", async (store, clock) => {
    await store.commit([lease("/a", 1000)]);
    await store.commit([remove("/a")]);
    await store.commit([put("/a", "1")]);
    await clock.advance(5000);
    expect(show(await store.get("/a"))).toBe("/a=1 created 4 modified 4 version 1");
  });

  suiteTest(
    "no timer is set where nothing expires, and one where something does",
    async (store, clock) => {
      await store.commit([put("/a", "1")]);
      const before = clock.pending;
      await store.commit([lease("/b", 3000), lease("/c", 1000), lease("/d", 2000)]);
      const during = clock.pending;
      await clock.advance(3000);
      expect([before, during, clock.pending, (await store.list("")).entries.length]).toEqual([
        0, 1, 0, 1,
      ]);
    },
  );
}
