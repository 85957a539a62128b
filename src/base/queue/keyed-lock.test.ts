import { expect, test } from "vitest";
import { KeyedLock } from "./keyed-lock.ts";

test("KeyedLock: work of one key runs in the order of the calls, that of others at the same time", async () => {
  const lock = new KeyedLock();
  const seen: string[] = [];
  let finish = (): void => {};
  const first = lock.run("a", async () => {
    seen.push("a1");
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    seen.push("a1 done");
  });
  const second = lock.run("a", async () => void seen.push("a2"));
  await lock.run("b", async () => void seen.push("b"));
  expect(seen).toEqual(["a1", "b"]);
  finish();
  await Promise.all([first, second]);
  expect(seen).toEqual(["a1", "b", "a1 done", "a2"]);
});

test("KeyedLock: a failure rejects its own call only", async () => {
  const lock = new KeyedLock();
  const failed = lock.run("a", () => Promise.reject(new Error("no")));
  const next = lock.run("a", async () => 2);
  await expect(failed).rejects.toThrow("no");
  expect(await next).toBe(2);
  await lock.idle();
});
