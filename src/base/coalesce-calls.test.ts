import { expect, test } from "vitest";
import { eventually } from "../../test/eventually.ts";
import { coalesceCalls } from "./coalesce-calls.ts";

test("coalesceCalls: callers that come while a call is running share the next one", async () => {
  const resolvers: ((value: string) => void)[] = [];
  const get = coalesceCalls(() => new Promise<string>((resolve) => resolvers.push(resolve)));
  const first = get();
  const [second, third] = [get(), get()];
  resolvers[0]?.("one");
  const one = await first;
  await eventually(() => expect(resolvers.length).toBe(2));
  const fourth = get();
  const count = resolvers.length;
  resolvers[1]?.("two");
  const two = await Promise.all([second, third]);
  await eventually(() => expect(resolvers.length).toBe(3));
  resolvers[2]?.("three");
  expect([one, count, two, await fourth]).toEqual(["one", 2, ["two", "two"], "three"]);
});

test("coalesceCalls: a call that fails does not affect the next one", async () => {
  let count = 0;
  const get = coalesceCalls(async () => {
    count++;
    if (count === 1) throw new Error("no");
    return count;
  });
  const [first, second] = await Promise.allSettled([get(), get()]);
  expect([first.status, second]).toEqual(["rejected", { status: "fulfilled", value: 2 }]);
  expect(await get()).toBe(3);
});
