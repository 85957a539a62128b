import { expect } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import type { VirtualClock } from "../../base/virtual-clock.ts";
import type { Store } from "../store.ts";
import { lease, put, recorder, remove, type SuiteTest, show } from "./harness-suite.ts";

/** `lateMs` is given where the store goes by its own time. */
export function expirySuite(suiteTest: SuiteTest, lateMs?: number): void {
  /** Lets time pass until a key is gone; resolves to how long after its time that was. */
  const gone = async (
    key: string,
    ttlMs: number,
    { store, clock }: { readonly store: Store; readonly clock: VirtualClock },
  ): Promise<number> => {
    const now = (): number => (lateMs === undefined ? clock.now() : performance.now());
    const begun = now();
    const isGone = async (): Promise<void> => {
      if (lateMs === undefined) await clock.advance(100);
      expect(await store.get(key)).toBeUndefined();
    };
    await eventually(isGone);
    return now() - begun - ttlMs;
  };
  /** It was committed a moment before, and all are asked for a little later. */
  const inTime = (late: number): boolean => late >= (lateMs ? -100 : 0) && late <= (lateMs ?? 0);

  suiteTest(
    "keys with the same time to live expire in one commit, which watchers receive",
    async (store, clock) => {
      await store.commit([lease("/a", 2000), lease("/b", 2000), put("/c", "1"), lease("/d", 8000)]);
      const seen: string[] = [];
      store.subscribe("/", { from: 2 }, recorder(seen));
      const late = await gone("/a", 2000, { store, clock });
      const after = (await store.list("/")).entries.map(({ key }) => key);
      expect([after, inTime(late)]).toEqual([["/c", "/d"], true]);
      const expected = ["3: delete /a was /a=x, delete /b was /b=x"];
      await eventually(() => expect(seen).toEqual(expected));
    },
  );

  suiteTest("a put renews or removes the time to live", async (store, clock) => {
    await store.commit([lease("/renewed", 2000), lease("/ended", 2000), lease("/left", 2000)]);
    await store.commit([lease("/renewed", 7000), put("/ended", "1")]);
    const left = await gone("/left", 2000, { store, clock });
    const between = (await store.list("/")).entries.map(({ key }) => key);
    const renewed = await gone("/renewed", 5000 - left, { store, clock });
    const after = (await store.list("/")).entries.map(({ key }) => key);
    expect([between, after, inTime(left), inTime(renewed)]).toEqual([
      ["/ended", "/renewed"],
      ["/ended"],
      true,
      true,
    ]);
  });

  suiteTest("a key created again does not inherit the time to live", async (store, clock) => {
    await store.commit([lease("/a", 2000), lease("/b", 2000)]);
    await store.commit([remove("/a")]);
    await store.commit([put("/a", "1")]);
    await gone("/b", 2000, { store, clock });
    expect(show(await store.get("/a"))).toBe("/a=1 created 4 modified 4 version 1");
  });

  if (lateMs !== undefined) return;
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
