import { expect, test } from "vitest";
import { Slots } from "./slots.ts";

test("slots: only so many run at once, the others in order", async () => {
  const slots = new Slots(2);
  const running = new Set<number>();
  const started: number[] = [];
  let most = 0;
  const work = (number: number) => async (): Promise<void> => {
    started.push(number);
    running.add(number);
    most = Math.max(most, running.size);
    await new Promise((resolve) => setImmediate(resolve));
    running.delete(number);
    if (number === 1) throw new Error("failed");
  };
  const all = await Promise.allSettled([0, 1, 2, 3, 4].map((number) => slots.run(work(number))));
  expect(all.map(({ status }) => status === "fulfilled")).toEqual([true, false, true, true, true]);
  expect({ most, started }).toEqual({ most: 2, started: [0, 1, 2, 3, 4] });
});

test("slots: who gives up waiting takes no slot", async () => {
  const slots = new Slots(1);
  let end = (): void => undefined;
  const first = slots.run(() => new Promise<void>((resolve) => (end = resolve)));
  const abort = new AbortController();
  const second = slots.run(async () => "second", abort.signal);
  const third = slots.run(async () => "third");
  abort.abort(new Error("gave up"));
  await expect(second).rejects.toThrow("gave up");
  end();
  await first;
  expect(await third).toBe("third");
});
