import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { mustRun } from "../../platform/run-child.ts";
import { spawned } from "../../platform/spawned.ts";

/** Runs a program to its end; resolves with its output, and rejects with what it printed as an error. */
export function runProgram(
  path: string,
  args: readonly string[],
  options: { readonly cwd?: string } = {},
): Promise<string> {
  return mustRun(path, args, { ...options, env: programEnv });
}

/** Starts a program with an environment of its own, so that its messages are in English. */
export function startProgram(
  path: string,
  args: readonly string[],
  options: SpawnOptions,
): ChildProcess {
  return spawned(spawn(path, args, { ...options, env: programEnv }), path);
}

/** Resolves when a program has ended well; rejects with what it printed as an error. */
export function ended(path: string, child: ChildProcess): Promise<void> {
  let printed = "";
  child.stderr?.setEncoding("latin1").on("data", (text: string) => {
    if (printed.length < mostPrinted) printed += text;
  });
  return new Promise((resolve, reject) => {
    child.once("error", (cause) => reject(new Error(`cannot run ${path}`, { cause })));
    child.once("close", (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(printed.trim() || `${path} ended with ${signal ?? code}`));
    });
  });
}

const mostPrinted = 4096;
const programEnv = {
  LC_ALL: "C",
  PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
};
