import { runKubectlCommand } from "./kubectl-program.ts";
import { processIo } from "./process-io.ts";

/** Runs a command line of kubectl in this process; ends the process as kubectl ends. */
export async function main(args: readonly string[]): Promise<number> {
  const stop = new AbortController();
  let received: NodeJS.Signals | undefined;
  const signals = ["SIGINT", "SIGTERM"] as const;
  const listeners = signals.map((signal) => {
    // The first signal lets the command restore its terminal; the second ends the process at once.
    const listener = (): void => {
      received = signal;
      stop.abort(new Error(`received ${signal}`));
    };
    process.once(signal, listener);
    return [signal, listener] as const;
  });
  try {
    const surroundings = { io: processIo(), env: process.env, cwd: process.cwd() };
    const code = await runKubectlCommand(args, { ...surroundings, signal: stop.signal });
    if (received === undefined || code === 0) return code;
  } finally {
    for (const [signal, listener] of listeners) process.removeListener(signal, listener);
  }
  // A command that does not handle the signal ends by it: shells then know why.
  process.kill(process.pid, received);
  return 1;
}
