import { expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { MemoryStore } from "../../store/memory/memory-store.ts";
import { changesSince } from "./changes-since.ts";

test("changesSince: returns the last change of each key, in order, and deletions", async () => {
  const store = new MemoryStore(new VirtualClock());
  const put = (key: string) => ({ type: "put", key, value: new Uint8Array(1) }) as const;
  const remove = (key: string) => ({ type: "delete", key }) as const;
  await store.commit(["/same", "/changed", "/gone", "/anew"].map(put));
  const known = new Map((await store.list("/")).entries.map((entry) => [entry.key, entry]));
  await store.commit([remove("/anew")]);
  await store.commit([put("/new")]);
  await store.commit([put("/changed"), remove("/gone")]);
  await store.commit([put("/anew"), put("/brief")]);
  await store.commit([put("/changed"), remove("/brief")]);
  const events = changesSince(known, await store.list("/"));
  expect(events.map(({ type, key, revision }) => `${revision} ${type} ${key}`)).toEqual([
    "4 put /new",
    "5 delete /anew",
    "6 put /anew",
    "7 put /changed",
    "7 delete /gone",
  ]);
});
