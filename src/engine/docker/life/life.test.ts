import { describe, expect, test } from "vitest";
import { hostOf } from "../create/create.test-support.ts";
import { type Health, nextHealth, probeCommand, startingHealth } from "./health.ts";
import { isRestarted, isStartedWithEngine, nextDelayMs } from "./restart-decision.ts";
import { startFailure } from "./start-failure.ts";

const policy = (Name: string, MaximumRetryCount = 0) =>
  hostOf({ RestartPolicy: { Name, MaximumRetryCount } }).RestartPolicy;

test.each<
  [name: string, most: number, exitCode: number, count: number, stopped: boolean, again: boolean]
>([
  ["no", 0, 1, 0, false, false],
  ["always", 0, 0, 9, false, true],
  ["always", 0, 0, 0, true, false],
  ["unless-stopped", 0, 0, 0, false, true],
  ["on-failure", 0, 0, 0, false, false],
  ["on-failure", 0, 1, 99, false, true],
  ["on-failure", 2, 1, 1, false, true],
  ["on-failure", 2, 1, 2, false, false],
])(
  "isRestarted: %s:%i, exit code %i, restarted %i times, stopped %s",
  (name, most, exitCode, restartCount, isStoppedByClient, again) => {
    expect(
      isRestarted({ policy: policy(name, most), exitCode, restartCount, isStoppedByClient }),
    ).toBe(again);
  },
);

test.each<[name: string, stopped: boolean, starts: boolean]>([
  ["always", true, true],
  ["unless-stopped", true, false],
  ["unless-stopped", false, true],
  ["on-failure", false, false],
])("isStartedWithEngine: %s, stopped %s", (name, isStoppedByClient, starts) => {
  const ended = { policy: policy(name), exitCode: 1, restartCount: 0, isStoppedByClient };
  expect(isStartedWithEngine(ended)).toBe(starts);
});

test("nextDelayMs: twice as long, up to a minute, and short again after ten seconds", () => {
  expect(nextDelayMs(0, 0)).toBe(100);
  expect(nextDelayMs(100, 0)).toBe(200);
  expect(nextDelayMs(51_200, 9999)).toBe(60_000);
  expect(nextDelayMs(51_200, 10_000)).toBe(100);
});

describe("nextHealth", () => {
  const probe = (ExitCode: number) => ({ Start: "", End: "", ExitCode, Output: "" });
  const healthAfter = (codes: readonly number[], isStartPeriod = false): Health =>
    codes.reduce(
      (health, code) => nextHealth(health, probe(code), { retries: 2, isStartPeriod }),
      startingHealth,
    );

  test.each<[codes: readonly number[], status: string, streak: number]>([
    [[], "starting", 0],
    [[1], "starting", 1],
    [[1, 1], "unhealthy", 2],
    [[0], "healthy", 0],
    [[0, 1], "healthy", 1],
    [[1, 1, 0], "healthy", 0],
  ])("%j", (codes, status, streak) => {
    expect(healthAfter(codes)).toMatchObject({ Status: status, FailingStreak: streak });
  });

  test("failures of the start period do not count, and five results are kept", () => {
    expect(healthAfter([1, 1, 1], true)).toMatchObject({ Status: "starting", FailingStreak: 0 });
    expect(healthAfter([0, 0, 0, 0, 0, 0, 0]).Log).toHaveLength(5);
  });

  test("probeCommand", () => {
    expect(probeCommand(["CMD", "a", "b"], null)).toEqual(["a", "b"]);
    expect(probeCommand(["CMD-SHELL", "a b"], null)).toEqual(["/bin/sh", "-c", "a b"]);
    expect(probeCommand(["NONE"], null)).toBeUndefined();
    expect(probeCommand(null, null)).toBeUndefined();
  });
});

test.each<[error: string, exitCode: number, status: number]>([
  [
    'runc create failed: unable to start container process: exec: "x": executable file not found in $PATH',
    127,
    400,
  ],
  [
    'runc create failed: unable to start container process: exec: "/etc": permission denied',
    126,
    400,
  ],
  ['runc create failed: unable to start container process: exec: "/etc": is a directory', 126, 400],
  ["runc create failed: mounting /a: not a directory", 127, 400],
  ["no space left on device", 128, 500],
])("startFailure: %s", (error, exitCode, status) => {
  expect(startFailure(error)).toMatchObject({ exitCode, status });
});
