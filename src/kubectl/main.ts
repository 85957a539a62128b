import { runKubectlCommand } from "./kubectl-program.ts";
import { processIo } from "./process-io.ts";
import { InterruptedError, signalNumbers } from "./program/command-error.ts";

type EndingSignal = keyof typeof signalNumbers;

/** Runs a command line of kubectl in this process; ends the process as kubectl ends. */
export async function main(args: readonly string[]): Promise<number> {
  const stop = new AbortController();
  let interruption: InterruptedError | undefined;
  const listeners = (Object.keys(signalNumbers) as EndingSignal[]).map((signal) => {
    // The first signal lets the command restore its terminal; the second ends the process at once.
    const listener = (): void => {
      interruption ??= new InterruptedError(signal);
      stop.abort(interruption);
    };
    process.once(signal, listener);
    return [signal, listener] as const;
  });
  try {
    const surroundings = { io: processIo(), env: process.env, cwd: process.cwd() };
    const code = await runKubectlCommand(args, { ...surroundings, signal: stop.signal });
    if (code !== interruption?.code) return code;
  } finally {
    for (const [signal, listener] of listeners) process.removeListener(signal, listener);
  }
  // A command that does not handle the signal ends by it: shells then know why.
  process.kill(process.pid, interruption.signal);
  return interruption.code;
}
