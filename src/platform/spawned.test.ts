import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { expect, test } from "vitest";
import { spawned } from "./spawned.ts";

test("spawned: a child that cannot be made for lack of descriptors is thrown, and ends nothing", async () => {
  const taken: number[] = [];
  const errors: unknown[] = [];
  const note = (error: unknown): void => void errors.push(error);
  process.on("uncaughtException", note);
  try {
    for (;;) taken.push(openSync("/dev/null", "r"));
  } catch {
    expect(() => spawned(spawn("true", { stdio: "pipe" }), "true")).toThrow(
      "cannot run true: too many open files",
    );
  } finally {
    for (const one of taken) closeSync(one);
    await new Promise((resolve) => setImmediate(resolve));
    process.off("uncaughtException", note);
  }
  expect(errors).toEqual([]);
});
