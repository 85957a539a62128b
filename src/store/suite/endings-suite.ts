import { expect } from "vitest";
import { lease, numbers, outcomeOf, put, recorder, type SuiteTest, take } from "./harness-suite.ts";

export function endingsSuite(suiteTest: SuiteTest): void {
  suiteTest("every call on a closed store fails with Closed", async (store, clock) => {
    await store.commit([lease("/a", 1000)]);
    const seen: string[] = [];
    store.subscribe("/", { from: 2 }, recorder(seen));
    const watch = outcomeOf(take(store.watch("/", { from: 2 }), 1));
    await store.close();
    const outcomes = await Promise.all([
      watch,
      outcomeOf(store.currentRevision()),
      outcomeOf(store.get("/a")),
      outcomeOf(store.list("/")),
      outcomeOf(store.commit([put("/a", "1")])),
      outcomeOf(store.compact(2)),
      outcomeOf(take(store.watch("/", { from: 1 }), 1)),
    ]);
    expect([outcomes, seen, clock.pending]).toEqual([
      Array(7).fill("Closed 0"),
      ["end Closed 0"],
      0,
    ]);
  });

  suiteTest("commits under way when the store closes are acknowledged", async (store) => {
    const commits = numbers(5).map((n) => store.commit([put(`/${n}`, "x")]));
    await store.close();
    const outcomes = await Promise.all(commits);
    // They did not wait for each other, so that any may be the first.
    const revisions = outcomes.map(({ revision }) => revision);
    expect(revisions.sort((a, b) => a - b)).toEqual([2, 3, 4, 5, 6]);
  });
}
