import { expect, test, vi } from "vitest";
import { joined } from "./joined.ts";

test("joined: who asks while an answer is under way gets the next one, together with others", async () => {
  const asked: ((answer: string) => void)[] = [];
  const ask = joined(() => new Promise<string>((resolve) => asked.push(resolve)));
  const first = ask();
  const [second, third] = [ask(), ask()];
  asked[0]?.("one");
  const one = await first;
  await vi.waitFor(() => expect(asked.length).toBe(2));
  const fourth = ask();
  const count = asked.length;
  asked[1]?.("two");
  const two = await Promise.all([second, third]);
  await vi.waitFor(() => expect(asked.length).toBe(3));
  asked[2]?.("three");
  expect([one, count, two, await fourth]).toEqual(["one", 2, ["two", "two"], "three"]);
});

test("joined: a question that fails does not keep others from being asked", async () => {
  let count = 0;
  const ask = joined(async () => {
    count++;
    if (count === 1) throw new Error("no");
    return count;
  });
  const [first, second] = await Promise.allSettled([ask(), ask()]);
  expect([first.status, second]).toEqual(["rejected", { status: "fulfilled", value: 2 }]);
  expect(await ask()).toBe(3);
});
