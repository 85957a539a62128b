import type { Clock } from "../../../src/base/clock.ts";
import { runKubectlCommand } from "../../../src/kubectl/kubectl-program.ts";
import type { Output } from "../../../src/kubectl/program/io.ts";
import { splitCommandLine } from "../../../src/kubectl/program/split-command-line.ts";
import type { RunCommand } from "./run-kubectl-scenario.ts";

/** Runs command lines by our kubectl in this process, at the time of the recording. */
export const runOwnKubectl =
  (now: number): RunCommand =>
  async ({ run, stdin = "", env }, { folder, env: base, cluster }) => {
    const start = cluster.clock.now();
    const clock: Clock = {
      now: () => now + (cluster.clock.now() - start),
      setTimer: (ms, fire) => cluster.clock.setTimer(ms, fire),
    };
    const [stdout, stderr] = [collected(), collected()];
    const exitCode = await runKubectlCommand(splitCommandLine(run), {
      io: {
        stdout,
        stderr,
        stdin: {
          isTerminal: false,
          async *[Symbol.asyncIterator]() {
            yield Buffer.from(stdin);
          },
        },
      },
      env: { ...base, ...env },
      cwd: folder,
      signal: new AbortController().signal,
      clock,
    });
    return { stdout: stdout.text(), stderr: stderr.text(), exitCode };
  };

function collected(): Output & { text(): string } {
  const chunks: Uint8Array[] = [];
  return {
    write: (text) => void chunks.push(Buffer.from(text as string)),
    text: () => Buffer.concat(chunks).toString("utf8"),
  };
}
