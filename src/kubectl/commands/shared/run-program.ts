import { spawn } from "node:child_process";
import { Readable } from "node:stream";
import { quote } from "../../../schema/values/quote.ts";
import type { CommandContext } from "../../program/kubectl-command.ts";

/**
 * Runs another program, and resolves with its exit code; undefined if a signal ended it. The program gets the streams
 * of this process, and so the terminal; where streams are values, its output is written to them.
 */
export function runProgram(
  {
    io,
    env,
    cwd,
    passesInput = false,
  }: Pick<CommandContext, "io" | "env" | "cwd"> & {
    /** Whether the program reads the input, too, where that is a value. */
    readonly passesInput?: boolean;
  },
  program: string,
  args: readonly string[],
): Promise<number | undefined> {
  const { stdin, stdout, stderr } = io;
  if (program === "") return Promise.reject(new Error("exec: no command"));
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env,
      stdio: [
        stdin.descriptor ?? (passesInput ? "pipe" : "ignore"),
        stdout.descriptor ?? "pipe",
        stderr.descriptor ?? "pipe",
      ],
    });
    if (child.stdin) {
      // A program may end before it has read everything.
      child.stdin.on("error", () => {});
      Readable.from(stdin).pipe(child.stdin);
    }
    child.stdout?.on("data", (chunk: Buffer) => stdout.write(chunk));
    child.stderr?.on("data", (chunk: Buffer) => stderr.write(chunk));
    child.once("error", (error) => reject(startError(program, error)));
    child.once("close", (code) => resolve(code ?? undefined));
  });
}

/** Why a program could not be started, in Go's words. */
function startError(program: string, error: NodeJS.ErrnoException): Error {
  const { code, message } = error;
  if (!program.includes("/") && code === "ENOENT")
    return new Error(`exec: ${quote(program)}: executable file not found in $PATH`, {
      cause: error,
    });
  const reason = code === undefined ? message : (reasons[code] ?? message);
  return new Error(`fork/exec ${program}: ${reason}`, { cause: error });
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "no such file or directory",
  EACCES: "permission denied",
  ENOEXEC: "exec format error",
  ENOTDIR: "not a directory",
};
