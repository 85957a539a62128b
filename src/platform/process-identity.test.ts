import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { identifyProcess, isRunning } from "./process-identity.ts";

test("process identity: a process is found while it runs, and is not another one with its pid", async () => {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  await once(child, "spawn");
  const known = identifyProcess(child.pid ?? 0);
  expect(known).toMatchObject({ pid: child.pid });
  if (!known) return;
  expect(isRunning(known)).toBe(true);
  expect(isRunning({ ...known, startedAt: "at another time" })).toBe(false);
  child.kill("SIGKILL");
  await once(child, "close");
  expect(isRunning(known)).toBe(false);
});

test("process identity: an invalid pid has no process", () => {
  for (const pid of [0, -1, 1.5, Number.NaN, 2 ** 30]) expect(identifyProcess(pid)).toBeUndefined();
});
