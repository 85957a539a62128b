import { expect } from "vitest";
import type { Op } from "../store.ts";
import { numbers, put, remove, type SuiteTest, show, showOutcome, text } from "./harness-suite.ts";

export function preconditionsSuite(suiteTest: SuiteTest): void {
  const cases: [string, Op[], string][] = [
    ["absent, and it is", [put("/new", "x", 0)], "revision 4"],
    ["absent, but it is there", [put("/a", "x", 0)], "conflict on /a with /a=2 at 3"],
    ["at its revision", [put("/a", "x", 3)], "revision 4"],
    ["at an older revision", [put("/a", "x", 2)], "conflict on /a with /a=2 at 3"],
    [
      "at a revision, but it is absent",
      [put("/new", "x", 2)],
      "conflict on /new with nothing at 3",
    ],
    ["deleted at its revision", [remove("/a", 3)], "revision 4"],
    ["deleted at an older revision", [remove("/a", 2)], "conflict on /a with /a=2 at 3"],
    [
      "deleted at a revision, but absent",
      [remove("/new", 1)],
      "conflict on /new with nothing at 3",
    ],
    [
      "one of several fails: the first that does is told",
      [put("/new", "x", 0), put("/b", "x", 1), remove("/a", 1)],
      "conflict on /b with /b=1 at 3",
    ],
    ["several hold", [put("/new", "x", 0), put("/b", "x", 2), remove("/a", 3)], "revision 4"],
  ];
  for (const [what, ops, expected] of cases) {
    suiteTest(`precondition: ${what}`, async (store) => {
      await store.commit([put("/a", "1"), put("/b", "1")]);
      await store.commit([put("/a", "2")]);
      const outcome = await store.commit(ops);
      expect([showOutcome(outcome), await store.currentRevision()]).toEqual([
        expected,
        outcome.ok ? 4 : 3,
      ]);
    });
  }

  suiteTest("a failed commit changes no key", async (store) => {
    await store.commit([put("/a", "1")]);
    await store.commit([put("/b", "1"), remove("/a", 1)]);
    expect((await store.list("")).entries.map(show)).toEqual([
      "/a=1 created 2 modified 2 version 1",
    ]);
  });

  suiteTest(
    "of many who create a key at once, one wins and the others see his entry",
    async (store) => {
      const outcomes = await Promise.all(
        numbers(8).map((n) => store.commit([put("/a", `${n}`, 0)])),
      );
      const winner = outcomes.findIndex(({ ok }) => ok);
      expect(outcomes.map(showOutcome)).toEqual(
        numbers(8).map((n) =>
          n === winner ? "revision 2" : `conflict on /a with /a=${winner} at 2`,
        ),
      );
    },
  );

  suiteTest(
    "counters that are incremented under a precondition lose no increment",
    async (store) => {
      await store.commit([put("/n", "0")]);
      await Promise.all(
        numbers(8).map(async () => {
          for (let done = 0; done < 10; ) {
            const entry = await store.get("/n");
            const next = `${Number(text(entry?.value)) + 1}`;
            if ((await store.commit([put("/n", next, entry?.modRevision ?? 0)])).ok) done++;
          }
        }),
      );
      expect(show(await store.get("/n"))).toBe("/n=80 created 2 modified 82 version 81");
    },
  );
}
