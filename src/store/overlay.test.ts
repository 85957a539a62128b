import { expect, test } from "vitest";
import { VirtualClock } from "../base/virtual-clock.ts";
import { MemoryStore } from "./memory/memory-store.ts";
import { overlay } from "./overlay.ts";
import type { Entry } from "./store.ts";
import { put } from "./suite/harness-suite.ts";

const entry = (key: string): Entry => ({
  key,
  value: new Uint8Array(0),
  createRevision: 3,
  modRevision: 3,
  version: 1,
});

test("overlay: pages are those of the merged keys, whatever the limit and the start", async () => {
  const store = new MemoryStore(new VirtualClock());
  await store.commit(["/a", "/c", "/e", "/g", "/é"].map((key) => put(key, "x")));
  const changes = new Map([
    ["/a", undefined],
    ["/b", entry("/b")],
    ["/e", entry("/e")],
    ["/h", entry("/h")],
    ["/absent", undefined],
    ["other", entry("other")],
  ]);
  const view = overlay(store.view(), changes, 3);
  const all = ["/b", "/c", "/e", "/g", "/h", "/é"];
  expect(view.list("/").entries.map(({ key }) => key)).toEqual(all);
  for (let limit = 1; limit <= 7; limit++) {
    for (const [index, after] of [undefined, ...all].entries()) {
      const page = view.list("/", { limit, ...(after !== undefined && { after }) });
      const rest = all.slice(index);
      expect(page.entries.map(({ key }) => key)).toEqual(rest.slice(0, limit));
      expect(page.remaining).toBe(Math.max(0, rest.length - limit));
    }
  }
  expect(view.list("/", { revision: 2 }).entries.map(({ key }) => key)).toEqual([
    "/a",
    "/c",
    "/e",
    "/g",
    "/é",
  ]);
  expect([view.get("/a"), view.get("/a", 2)?.key, view.get("/b")?.modRevision]).toEqual([
    undefined,
    "/a",
    3,
  ]);
});
