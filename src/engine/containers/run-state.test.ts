import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { type FoundOfContainer, type RunState, stateNow } from "./run-state.ts";

const running: Extract<RunState, { phase: "running" }> = {
  phase: "running",
  process: { pid: 7, startedAt: "boot 1" },
  monitor: { pid: 6, startedAt: "boot 0" },
  startedAt: 1000,
  isPaused: false,
};
const gone: FoundOfContainer = {
  ...{ isOom: false, isProcessRunning: false, isMonitorRunning: false, isStarted: false },
};
const processes = { process: running.process, monitor: running.monitor };
const exit = (code: number) => ({ code, at: 2000 });

type Row = [
  title: string,
  state: Extract<RunState, { phase: "starting" | "running" }>,
  found: Partial<FoundOfContainer>,
  now: object,
];
each<Row>([
  ["a process that runs is taken over", running, { isProcessRunning: true }, running],
  [
    "an end that conmon is about to record is awaited",
    running,
    { isMonitorRunning: true },
    running,
  ],
  [
    "an end with exit code 0 is a completion",
    running,
    { exit: exit(0) },
    { phase: "exited", startedAt: 1000, finishedAt: 2000, exitCode: 0, reason: "Completed" },
  ],
  ["another exit code is an error", running, { exit: exit(3) }, { exitCode: 3, reason: "Error" }],
  [
    "a kill for lack of memory is told from a plain kill",
    running,
    { exit: exit(137), isOom: true },
    { exitCode: 137, reason: "OOMKilled" },
  ],
  [
    "an end whose file has an earlier time than the start is at the start",
    running,
    { exit: { code: 0, at: 999 } },
    { startedAt: 1000, finishedAt: 1000 },
  ],
  [
    "without a record, as after a reboot, the exit code is unknown",
    running,
    {},
    { exitCode: 255, reason: "Unknown", startedAt: 1000, finishedAt: 9000 },
  ],
  [
    "the exit code of a process that was not let run is not the program's",
    { phase: "starting" },
    { exit: exit(1) },
    { phase: "created" },
  ],
  [
    "a program that ended before its start was recorded has ended",
    { phase: "starting" },
    { exit: exit(3), isStarted: true },
    { exitCode: 3, reason: "Error", startedAt: 2000, finishedAt: 2000 },
  ],
  [
    "a program that runs although its start was not recorded is taken over",
    { phase: "starting" },
    { isStarted: true, processes },
    { ...running, startedAt: 9000 },
  ],
  [
    "what was interrupted before it ran can be started again",
    { phase: "starting" },
    { processes },
    { phase: "created" },
  ],
  [
    "a program that was let run and is gone has ended",
    { phase: "starting" },
    { isStarted: true },
    { phase: "exited", exitCode: 255, reason: "Unknown", startedAt: 0 },
  ],
])("stateNow: %s", (_title, state, found, now) => {
  expect(stateNow(state, { ...gone, ...found }, 9000)).toMatchObject(now);
});
