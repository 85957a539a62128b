import { type IPty, spawn } from "@lydell/node-pty";

/** A program in a terminal. */
export interface ProgramInTerminal {
  readonly pty: IPty;
  /** What it has written so far. */
  text(): string;
  /** Its exit code. */
  readonly ended: Promise<number>;
}

/** Runs a program in a terminal of 100 columns and 40 rows. */
export function runInTerminal(
  program: string,
  args: readonly string[],
  given: NodeJS.ProcessEnv = process.env,
): ProgramInTerminal {
  const env = { ...given, TERM: "xterm" } as Record<string, string>;
  const pty = spawn(program, [...args], { cols: 100, rows: 40, env });
  let text = "";
  pty.onData((data) => {
    text += data;
  });
  const ended = new Promise<number>((resolve) => pty.onExit(({ exitCode }) => resolve(exitCode)));
  return { pty, text: () => text, ended };
}
