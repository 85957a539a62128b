import { expect, test } from "vitest";
import type { CommitOutcome } from "../../../store/store.ts";
import { chargeLanes } from "./charge-lanes.ts";

/** An account of one number per namespace, in a world where others write, too. */
function world(limit: number) {
  const used = new Map<string, number>();
  const log: string[] = [];
  let overtakings = 0;
  const lanes = chargeLanes<number>({
    read: (namespace) => used.get(namespace) ?? 0,
    fresh: async () => {},
    conflict: () => new Error("overtaken"),
  });
  const write = (name: string, { namespace = "n", fails = false } = {}): Promise<number | string> =>
    lanes(namespace, {
      charge(before) {
        if (before >= limit) throw new Error("full");
        return before + 1;
      },
      async commit({ after }): Promise<CommitOutcome | "overtaken"> {
        log.push(`${name} begins`);
        await Promise.resolve();
        if (overtakings > 0) {
          overtakings--;
          used.set(namespace, (used.get(namespace) ?? 0) + 1);
          return "overtaken";
        }
        log.push(`${name} ends`);
        if (fails) return { ok: false, key: name, current: undefined, revision: 0 };
        used.set(namespace, after);
        return { ok: true, revision: after };
      },
    }).then(
      (outcome) => (outcome.ok ? outcome.revision : `no ${outcome.key}`),
      (error: Error) => error.message,
    );
  return {
    log,
    write,
    used: () => used.get("n"),
    overtake(times: number) {
      overtakings = times;
    },
  };
}

test("writes of a namespace are one after the other, of different ones at the same time", async () => {
  const { write, log } = world(10);
  await Promise.all([write("a"), write("b"), write("c", { namespace: "other" })]);
  expect(log).toEqual(["a begins", "c begins", "a ends", "c ends", "b begins", "b ends"]);
});

test("those that are too much are refused", async () => {
  const { write, used } = world(2);
  expect(await Promise.all(["a", "b", "c", "d"].map((name) => write(name)))).toEqual([
    1,
    2,
    "full",
    "full",
  ]);
  expect(used()).toBe(2);
});

test("one that fails by itself is charged nothing, and leaves its place to others", async () => {
  const { write, used } = world(2);
  const said = await Promise.all([write("a"), write("b", { fails: true }), write("c")]);
  expect(said).toEqual([1, "no b", 2]);
  expect(used()).toBe(2);
});

test("who is overtaken looks again, and is refused if nothing is left", async () => {
  const { write, overtake } = world(3);
  overtake(1);
  expect(await write("a")).toBe(2);
  overtake(1);
  expect(await write("b")).toBe("full");
});

test("who is overtaken again and again gives up", async () => {
  const { write, overtake } = world(100);
  overtake(11);
  expect(await write("a")).toBe("overtaken");
  expect(await write("a")).toBe(12);
});
