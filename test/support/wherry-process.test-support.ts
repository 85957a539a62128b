import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { onTestFinished } from "vitest";
import { wherryProgram } from "../wherry-program.ts";

/** A command of wherry in a process of its own. */
export interface WherryProcess {
  readonly pid: number;
  /** All that it has written so far to stdout and stderr. */
  output(): string;
  /** Resolves when what was written matches; rejects when it ends first. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
  readonly ended: Promise<WherryOutcome>;
  /** Sends a signal and waits for the end. */
  end(signal?: NodeJS.Signals): Promise<WherryOutcome>;
}

export interface WherryOutcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface WherryOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Its standard input; none if absent. */
  readonly input?: Uint8Array;
}

/** Starts a command line, which is ended with the test if it still runs. */
export function startWherry(
  args: readonly string[],
  { env = {}, cwd, input }: WherryOptions = {},
): WherryProcess {
  const child = spawn(process.execPath, [wherryProgram(), ...args], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, KUBECONFIG: "", ...env },
    cwd,
  });
  // A command may end without reading its input.
  child.stdin.on("error", () => {}).end(input);
  let stdout = "";
  let stderr = "";
  const looking = new Set<() => void>();
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    for (const look of looking) look();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    for (const look of looking) look();
  });
  const ended = new Promise<WherryOutcome>((resolve) => {
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
  const output = () => `${stdout}${stderr}`;
  const end = (signal: NodeJS.Signals = "SIGTERM") => {
    child.kill(signal);
    return ended;
  };
  onTestFinished(() => end("SIGKILL").then(() => undefined));
  return {
    pid: child.pid ?? 0,
    output,
    ended,
    end,
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = pattern.exec(output());
          if (!found) return;
          looking.delete(look);
          resolve(found);
        };
        looking.add(look);
        ended.then(() => reject(new Error(`it has ended: ${output()}`)), reject);
        look();
      }),
  };
}

/** Runs a command line to its end. */
export const runWherry = (
  args: readonly string[],
  options?: Parameters<typeof startWherry>[1],
): Promise<WherryOutcome> => startWherry(args, options).ended;

/** A port that was free just now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
