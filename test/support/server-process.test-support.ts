import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { wherryProgram } from "../wherry-program.ts";

/** An API server in a process of its own, as users run it. */
export interface ServerProcess {
  readonly pid: number;
  readonly port: number;
  /** All that it has written so far to stdout and stderr. */
  output(): string;
  /** Sends a signal and waits for the end; gives the exit code. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

/** A directory for a server's data and whatever else a test needs; `remove` it afterwards. */
export function newDirectory(): { readonly path: string; readonly data: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "wherry-process-"));
  return { path, data: join(path, "data"), remove: () => rmSync(path, { recursive: true }) };
}

export interface ProcessOptions {
  readonly command?: "apiserver" | "server";
  readonly port?: number;
  readonly flags?: readonly string[];
}

/** Starts `wherry apiserver`, or another command, on a data directory; resolves when it says that it is ready. */
export function startProcess(
  dir: string,
  { command = "apiserver", port = 0, flags = [] }: ProcessOptions = {},
): Promise<ServerProcess> {
  const args = [command, "--data-dir", dir, "--secure-port", String(port), ...flags];
  const child = spawn(process.execPath, [wherryProgram(), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const ended = new Promise<number | null>((resolve) => {
    child.on("close", (code) => resolve(code));
  });
  return new Promise((resolve, reject) => {
    const read = (text: string): void => {
      output += text;
      const [, ready] = /^ready: https:\/\/(?:127\.0\.0\.1|0\.0\.0\.0):(\d+)$/m.exec(output) ?? [];
      if (ready === undefined) return;
      resolve({
        pid: child.pid ?? 0,
        port: Number(ready),
        output: () => output,
        end(signal = "SIGTERM") {
          child.kill(signal);
          return ended;
        },
      });
    };
    child.stdout.setEncoding("utf8").on("data", read);
    child.stderr.setEncoding("utf8").on("data", read);
    ended.then(() => reject(new Error(`the server has ended: ${output}`)), reject);
  });
}

/** What a process holds in memory, in megabytes. */
export function residentMegabytes(pid: number): number {
  const [, kilobytes = "0"] =
    /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}
