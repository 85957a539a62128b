import { expect } from "vitest";
import type { ListOptions } from "../store.ts";
import {
  brief,
  compareBytes,
  encode,
  failure,
  fillHistory,
  numbers,
  put,
  remove,
  type SuiteTest,
  take,
} from "./harness-suite.ts";

export function readsSuite(suiteTest: SuiteTest): void {
  suiteTest("an acknowledged write is visible to get and list at once", async (store) => {
    const seen: unknown[] = [];
    for (const n of numbers(20)) {
      const { revision } = await store.commit([put("/a", `${n}`)]);
      const [entry, list] = await Promise.all([store.get("/a"), store.list("/")]);
      seen.push(
        [entry?.modRevision, list.entries[0]?.modRevision, list.revision].map(
          (r) => r === revision,
        ),
      );
    }
    expect(seen).toEqual(numbers(20).map(() => [true, true, true]));
  });

  suiteTest("every revision can be read again", async (store) => {
    await fillHistory(store);
    const lists = await Promise.all(
      [1, 2, 3, 4, 5, 6, 0].map(async (revision) => {
        const list = await store.list("/", { revision });
        return [list.revision, list.entries.map(brief).join(" ")];
      }),
    );
    expect(lists).toEqual([
      [1, ""],
      [2, "/a=1"],
      [3, "/a=1 /b=1"],
      [4, "/a=2 /b=1"],
      [5, "/b=1"],
      [6, "/a=3 /b=1"],
      [6, "/a=3 /b=1"],
    ]);
  });

  suiteTest("a key can be read as of a revision", async (store) => {
    await fillHistory(store);
    const entries = await Promise.all(numbers(6).map((n) => store.get("/a", n + 1)));
    expect(entries.map(brief)).toEqual(["nothing", "/a=1", "/a=1", "/a=2", "nothing", "/a=3"]);
  });

  suiteTest("a revision thousands of commits ago can be read again", async (store) => {
    const commit = (n: number) => store.commit([put(`/${n % 70}`, `${n}`)]);
    await Promise.all(numbers(70).map(commit));
    await Promise.all(numbers(2930).map(commit));
    const old = await Promise.all(
      [71, 72, 1025, 2000].map(async (revision) => {
        const { entries } = await store.list("/", { revision });
        return [entries.length, Math.max(...entries.map(({ modRevision }) => modRevision))];
      }),
    );
    expect(old).toEqual([
      [70, 71],
      [70, 72],
      [70, 1025],
      [70, 2000],
    ]);
  });

  suiteTest("a read at a future revision is rejected", async (store) => {
    await fillHistory(store);
    const errors = await Promise.all([
      failure(store.get("/a", 7)),
      failure(store.list("/", { revision: 7 })),
    ]);
    expect(errors.map(({ code, revision }) => [code, revision])).toEqual([
      ["FutureRevision", 6],
      ["FutureRevision", 6],
    ]);
  });

  suiteTest("a revision that is not an integer is rejected", async (store) => {
    const reads = [NaN, 1.5].flatMap((revision) => [
      failure(store.get("/a", revision)),
      failure(store.list("/", { revision })),
      failure(store.compact(revision)),
      failure(take(store.watch("/", { from: revision }), 1)),
    ]);
    const errors = await Promise.all(reads);
    expect(errors.map(({ code }) => code)).toEqual(Array(8).fill("Invalid"));
  });

  suiteTest("keys are in the order of their UTF-8 bytes", async (store) => {
    const keys = [
      "/a",
      "/a!",
      "/a/b",
      "/ab",
      "/é",
      "/\ue000",
      "/\uffff",
      "/\u{10000}",
      "/\u{10ffff}",
      "0",
    ];
    await store.commit([...keys].reverse().map((key) => put(key, "x")));
    const { entries } = await store.list("");
    const bytes = [...keys].sort((a, b) => compareBytes(encode(a), encode(b)));
    expect([entries.map(({ key }) => key), bytes]).toEqual([keys, keys]);
  });

  const pages: [string, string, ListOptions, string][] = [
    ["all of a prefix", "/p/", {}, "1 2 3 4 5, 0 remain"],
    ["a page", "/p/", { limit: 2 }, "1 2, 3 remain"],
    ["the next page", "/p/", { limit: 2, after: "/p/2" }, "3 4, 1 remain"],
    ["the last page", "/p/", { limit: 2, after: "/p/4" }, "5, 0 remain"],
    ["a page that ends with the prefix", "/p/", { limit: 5 }, "1 2 3 4 5, 0 remain"],
    ["a page after a key that is not there", "/p/", { limit: 1, after: "/p/3x" }, "4, 1 remain"],
    ["a page after the prefix", "/p/", { limit: 1, after: "/q" }, ", 0 remain"],
    ["a page after a key before the prefix", "/p/", { limit: 1, after: "/a" }, "1, 4 remain"],
    ["a page at an old revision", "/p/", { limit: 2, after: "/p/1", revision: 2 }, "2 3, 1 remain"],
    ["a limit of 0 is none", "/p/", { limit: 0 }, "1 2 3 4 5, 0 remain"],
    ["a prefix that is a whole key", "/p/3", {}, "3, 0 remain"],
    ["a prefix that nothing has", "/x", {}, ", 0 remain"],
  ];
  for (const [what, prefix, options, expected] of pages) {
    suiteTest(`list: ${what}`, async (store) => {
      await store.commit(["/o", "/p/1", "/p/2", "/p/3", "/p/4", "/p0"].map((key) => put(key, "x")));
      await store.commit([put("/p/5", "x")]);
      const { entries, more, remaining, revision } = await store.list(prefix, options);
      const keys = entries.map(({ key }) => key.slice(3)).join(" ");
      expect([`${keys}, ${remaining} remain`, more, revision]).toEqual([
        expected,
        remaining > 0,
        options.revision ?? 3,
      ]);
    });
  }

  suiteTest("pages read at the first page's revision do not see later commits", async (store) => {
    await store.commit(numbers(10).map((n) => put(`/${n}`, "x")));
    const keys: string[] = [];
    let options: ListOptions = { limit: 3 };
    for (let more = true; more; ) {
      const page = await store.list("/", options);
      keys.push(...page.entries.map(({ key }) => key));
      options = { limit: 3, revision: page.revision, after: keys.at(-1) ?? "" };
      more = page.more;
      await store.commit([remove(`/${keys.length}`), put(`/${keys.length}-new`, "x")]);
    }
    expect(keys).toEqual(numbers(10).map((n) => `/${n}`));
  });
}
