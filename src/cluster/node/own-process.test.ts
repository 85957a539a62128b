import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { noLog } from "../../base/log.ts";
import { type OwnProcessOptions, setUpOwnProcess } from "./own-process.ts";

/** Sets up a process that sleeps: its limits, and the warnings. */
async function setUp(options: Pick<OwnProcessOptions, "oomScoreAdj" | "maxOpenFiles">) {
  const child = spawn("sleep", ["100"], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  const warnings: string[] = [];
  const log = { ...noLog, warn: (text: string) => void warnings.push(text) };
  await setUpOwnProcess({ ...options, log, pid: child.pid });
  const read = (name: string): string => readFileSync(`/proc/${child.pid}/${name}`, "utf8");
  const [, soft, hard] = /Max open files +(\d+) +(\d+)/.exec(read("limits")) ?? [];
  return { warnings, soft, hard, score: Number(read("oom_score_adj")) };
}

test("setUpOwnProcess: sets the score and the limit", async () => {
  const wanted = { warnings: [], soft: "1024", hard: "1024", score: 500 };
  expect(await setUp({ oomScoreAdj: 500, maxOpenFiles: 1024 })).toEqual(wanted);
});

test("setUpOwnProcess: what the system does not permit is a warning", async () => {
  const score = Number(readFileSync("/proc/self/oom_score_adj", "utf8"));
  const most = 2 ** 40;
  expect(await setUp({ oomScoreAdj: -5000, maxOpenFiles: most })).toMatchObject({
    warnings: [
      "oom_score_adj stays as it is: lowering it needs CAP_SYS_RESOURCE",
      "Failed to set rlimit on max file handles",
    ],
    score,
  });
});
