import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { splitCommandLine } from "../../../src/kubectl/program/split-command-line.ts";
import type { RunCommand } from "./run-kubectl-scenario.ts";

/** Runs command lines by a kubectl of this machine. */
export const runProgram =
  (program: string): RunCommand =>
  async ({ run, stdin = "", env }, { folder, env: base }) => {
    const child = spawn(program, splitCommandLine(run), {
      // Some errors name the program as it was called.
      argv0: "kubectl",
      cwd: folder,
      env: { ...base, ...env },
      stdio: "pipe",
    });
    child.stdin.on("error", () => {});
    child.stdin.end(stdin);
    const exit = new Promise<number | null>((resolve, reject) =>
      child.once("error", reject).once("close", resolve),
    );
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { stdout, stderr, exitCode: (await exit) ?? -1 };
  };
