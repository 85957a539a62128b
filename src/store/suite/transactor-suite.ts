import { expect, test } from "vitest";
import type { Store } from "../store.ts";
import type { StoreView, Transactor } from "../transactor.ts";
import { put, remove, show } from "./harness-suite.ts";

/** What every store promises in which commits can be decided where they are planned. */
export function transactorSuite(name: string, open: () => Promise<Store & Transactor>): void {
  const transactorTest = (title: string, run: (store: Store & Transactor) => Promise<void>) =>
    test(`${name}: ${title}`, async () => {
      const store = await open();
      try {
        await run(store);
      } finally {
        await store.close();
      }
    });
  const keys = (view: StoreView, prefix: string) =>
    view.list(prefix).entries.map(({ key, modRevision }) => `${key}@${modRevision}`);

  transactorTest("transact: a decision sees commits that are under way", async (store) => {
    await store.commit([put("/a/1", "x"), put("/a/2", "x"), put("/b", "x")]);
    const underWay = [store.commit([put("/a/3", "x")]), store.commit([remove("/a/1")])];
    const { revision, answer } = await store.transact((now) => ({
      ops: now.list("/a/").entries.map(({ key }) => remove(key)),
      answer: [keys(now, "/a/"), show(now.get("/a/1")), now.list("/", { limit: 2 }).remaining],
    }));
    expect([revision, answer]).toEqual([5, [["/a/2@2", "/a/3@3"], "nothing", 1]]);
    expect(keys(store.view(), "/")).toEqual(["/b@2"]);
    await Promise.all(underWay);
  });

  transactorTest("transact: nobody comes between two decisions", async (store) => {
    await store.commit([put("/n", "0")]);
    const step = () =>
      store.transact((now) => {
        const count = Number(new TextDecoder().decode(now.get("/n")?.value)) + 1;
        return { ops: [put("/n", `${count}`)], answer: count };
      });
    const answers = await Promise.all(Array.from({ length: 50 }, step));
    expect(answers.map(({ answer }) => answer)).toEqual(answers.map((_, index) => index + 1));
    expect(show(store.view().get("/n"))).toBe("/n=50 created 2 modified 52 version 51");
  });

  transactorTest("transact: who only reads is answered when that is durable", async (store) => {
    const writing = store.commit([put("/a", "1")]);
    const { revision, answer } = await store.transact((now) => ({
      ops: [],
      answer: show(now.get("/a")),
    }));
    expect([revision, answer]).toEqual([2, "/a=1 created 2 modified 2 version 1"]);
    expect(store.view().revision).toBe(2);
    await writing;
  });

  transactorTest("transact: a decision that throws does nothing", async (store) => {
    const refused = store.transact(() => {
      throw new Error("no");
    });
    await expect(refused).rejects.toThrow("no");
    expect(store.view().revision).toBe(1);
  });

  transactorTest("view: old revisions can be read until they are compacted", async (store) => {
    await store.commit([put("/a", "1")]);
    await store.commit([put("/a", "2")]);
    expect(show(store.view().get("/a", 2))).toContain("/a=1");
    await store.compact(3);
    expect(() => store.view().get("/a", 2)).toThrow("compacted");
  });
}
