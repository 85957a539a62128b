import { expect, test } from "vitest";
import type { CommitOutcome, Op } from "../../../store/store.ts";
import { type Accounts, chargeLanes } from "./charge-lanes.ts";

const put = (key: string): Op => ({ type: "put", key, value: new Uint8Array(), ifRevision: 0 });

/** An account of one number, and commits that end when they are told to. */
function world(limit: number) {
  const commits: string[][] = [];
  const taken = new Set<string>();
  let used = 0;
  let overtakings = 0;
  const accounts: Accounts<number> = {
    read: () => used,
    fresh: async () => {},
    async commit({ after }, ops, by) {
      await Promise.resolve();
      if (by) return by(ops);
      if (overtakings > 0) {
        overtakings--;
        used++;
        return "overtaken";
      }
      const exists = ops.find(({ key }) => taken.has(key));
      if (exists) return { ok: false, key: exists.key, current: undefined, revision: 0 };
      for (const { key } of ops) taken.add(key);
      commits.push(ops.map(({ key }) => key));
      used = after;
      return { ok: true, revision: commits.length };
    },
    conflict: () => new Error("overtaken"),
  };
  const lanes = chargeLanes(accounts);
  const write = (key: string, by?: () => Promise<CommitOutcome>): Promise<unknown> =>
    lanes("n", {
      ops: [put(key)],
      by,
      charge(before) {
        if (before >= limit) throw new Error("full");
        return before + 1;
      },
    }).then(
      (outcome) => (outcome.ok ? outcome.revision : `no ${outcome.key}`),
      (error: Error) => error.message,
    );
  return {
    commits,
    write,
    used: () => used,
    overtake(times: number) {
      overtakings = times;
    },
  };
}

test("writes that come while one is committed share the next commit", async () => {
  const { write, commits } = world(10);
  expect(await Promise.all(["a", "b", "c"].map((key) => write(key)))).toEqual([1, 2, 2]);
  expect(commits).toEqual([["a"], ["b", "c"]]);
});

test("those that are too much are refused, the others are written", async () => {
  const { write, used } = world(3);
  const said = await Promise.all(["a", "b", "c", "d", "e"].map((key) => write(key)));
  expect(said).toEqual([1, 2, 2, "full", "full"]);
  expect(used()).toBe(3);
});

test("one that fails by itself is charged nothing, and keeps nobody else from being written", async () => {
  const { write, used } = world(3);
  const said = await Promise.all(["a", "b", "a", "c"].map((key) => write(key)));
  expect(said).toEqual([1, 2, "no a", 2]);
  expect(used()).toBe(3);
});

test("no key is written twice in one commit", async () => {
  const { write, commits } = world(9);
  const said = await Promise.all(["a", "b", "b", "c"].map((key) => write(key)));
  expect(said).toEqual([1, 2, "no b", 3]);
  expect(commits).toEqual([["a"], ["b"], ["c"]]);
});

test("who is overtaken looks again, and is refused if nothing is left", async () => {
  const { write, overtake } = world(3);
  overtake(1);
  expect(await write("a")).toBe(1);
  overtake(1);
  expect(await write("b")).toBe("full");
});

test("who is overtaken again and again gives up", async () => {
  const { write, overtake } = world(100);
  overtake(11);
  expect(await write("a")).toBe("overtaken");
  expect(await write("a")).toBe(1);
});

test("one that is committed by other means is alone, and may fail by them", async () => {
  const { write, commits } = world(9);
  const elsewhere = async (): Promise<CommitOutcome> => ({
    ok: false,
    key: "range",
    current: undefined,
    revision: 0,
  });
  const said = await Promise.all([write("a"), write("b", elsewhere), write("c"), write("d")]);
  expect(said).toEqual([1, "no range", 2, 2]);
  expect(commits).toEqual([["a"], ["c", "d"]]);
});
