import { type Command, command } from "./command.ts";
import { runProgram } from "./run-program.ts";

/** What a command printed, and its exit code. */
export interface CommandOutcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Returns a function that runs a command of `wherry` with arguments, in this process and without a terminal. */
export const commandRunner =
  (tested: Command) =>
  async (...args: readonly string[]): Promise<CommandOutcome> => {
    const written = { stdout: "", stderr: "" };
    const output = (name: keyof typeof written) => ({
      write(text: string): void {
        written[name] += text;
      },
    });
    const code = await runProgram(
      {
        root: command({ name: "wherry", short: "", commands: [tested] }),
        version: "",
        streams: { stdout: output("stdout"), stderr: output("stderr") },
        signal: new AbortController().signal,
      },
      [tested.name, ...args],
    );
    return { code, ...written };
  };
