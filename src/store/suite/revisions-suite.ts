import { expect } from "vitest";
import type { Op } from "../store.ts";
import { failure, lease, numbers, put, remove, type SuiteTest, show } from "./harness-suite.ts";

export function revisionsSuite(suiteTest: SuiteTest): void {
  suiteTest("a new store is at revision 1, and empty", async (store) => {
    expect([await store.currentRevision(), await store.list("")]).toEqual([
      1,
      { entries: [], revision: 1, more: false, remaining: 0 },
    ]);
  });

  suiteTest("a key's revisions and version are counted as in etcd", async (store) => {
    await store.commit([put("/a", "1"), put("/b", "1")]);
    await store.commit([put("/a", "2")]);
    await store.commit([remove("/b")]);
    await store.commit([put("/b", "2")]);
    expect((await store.list("/")).entries.map(show)).toEqual([
      "/a=2 created 2 modified 3 version 2",
      "/b=2 created 5 modified 5 version 1",
    ]);
  });

  suiteTest("a commit that changes nothing takes no revision", async (store) => {
    const outcomes = [
      await store.commit([]),
      await store.commit([remove("/a")]),
      await store.commit([remove("/a", 0)]),
      await store.commit([remove("/a"), put("/b", "1")]),
      await store.commit([remove("/a")]),
    ];
    expect(outcomes).toEqual([1, 1, 1, 2, 2].map((revision) => ({ ok: true, revision })));
  });

  suiteTest("a put takes a revision even if the value stays the same", async (store) => {
    await store.commit([put("/a", "1")]);
    expect(await store.commit([put("/a", "1")])).toEqual({ ok: true, revision: 3 });
  });

  suiteTest("concurrent commits get a revision each, in some order", async (store) => {
    const outcomes = await Promise.all(numbers(50).map((n) => store.commit([put(`/k${n}`, "x")])));
    const revisions = outcomes.map((outcome) => outcome.revision).sort((a, b) => a - b);
    const written = (await store.list("/")).entries.map(({ modRevision }) => modRevision);
    expect([revisions, written.sort((a, b) => a - b)]).toEqual(
      Array(2).fill(numbers(50).map((n) => n + 2)),
    );
  });

  for (const [what, ops] of [
    ["a key that occurs twice", [put("/a", "1"), remove("/a")]],
    ["an empty key", [put("", "1")]],
    ["a key that is not well-formed", [put("/\ud800", "1")]],
    ["a time to live of 0", [lease("/a", 0)]],
  ] satisfies [string, Op[]][]) {
    suiteTest(`a commit with ${what} is rejected as a whole`, async (store) => {
      const error = await failure(store.commit([put("/other", "1"), ...ops]));
      expect([error.code, await store.currentRevision()]).toEqual(["Invalid", 1]);
    });
  }

  suiteTest("values are opaque bytes, empty or large", async (store) => {
    const values = [
      new Uint8Array(0),
      Uint8Array.of(0, 255, 128, 0),
      new Uint8Array(300_000).fill(7),
    ];
    await store.commit(values.map((value, n) => ({ type: "put", key: `/${n}`, value })));
    const { entries } = await store.list("/");
    expect(entries.map(({ value }) => new Uint8Array(value))).toEqual(values);
  });
}
