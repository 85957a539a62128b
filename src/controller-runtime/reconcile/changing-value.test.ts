import { expect, test } from "vitest";
import { constantValue, settableValue } from "./changing-value.ts";

test("settableValue: those who follow it are called after each change, until they leave", () => {
  const value = settableValue("a");
  const seen: string[] = [];
  const leave = value.onChange(() => void seen.push(value.current));
  value.set("a");
  value.set("b");
  leave();
  value.set("c");
  expect([seen, value.current]).toEqual([["b"], "c"]);
});

test("settableValue: the same function can follow twice", () => {
  const value = settableValue(0);
  let calls = 0;
  const count = (): void => void calls++;
  const leave = value.onChange(count);
  value.onChange(count);
  value.set(1);
  leave();
  value.set(2);
  expect(calls).toBe(3);
});

test("constantValue: its value, for ever", () => {
  const value = constantValue("a");
  value.onChange(() => expect.unreachable())();
  expect(value.current).toBe("a");
});
