import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  type RunningServer,
  type StartOptions,
  start,
} from "../../src/cluster/commands/apiserver/apiserver.ts";
import { startServer } from "../../src/cluster/commands/server/server-command.ts";

/** A server in this process, and kubectl beside it, in a directory of their own. */
export interface Tour {
  readonly dir: string;
  readonly server: RunningServer;
  /** Runs a command line of the shell that begins with `kubectl`, to its end. */
  run(line: string, kubeconfig?: string): Promise<Outcome>;
  /** Starts one that does not end by itself. */
  follow(line: string): Follower;
  close(): Promise<void>;
}

export interface Outcome {
  readonly code: number | null;
  /** What a person sees: what was written to stdout, then what was written to stderr. */
  readonly printed: string;
}

/** A command whose output is read while it runs. */
export interface Follower {
  /** Resolves when what was printed so far matches; the test's own deadline ends the wait. */
  until(pattern: RegExp): Promise<string>;
  stop(): Promise<void>;
}

/** A command line without `kubectl`, what it prints, and its exit code where it is not 0. */
export type Row = readonly [
  line: string,
  printed: string | readonly string[] | RegExp,
  code?: number,
];

/** Starts a server on a new directory that holds these files. */
export async function openTour(
  files: Readonly<Record<string, string>> = {},
  {
    env = {},
    nodes,
    ...options
  }: Pick<StartOptions, "runtimeConfig" | "core"> & {
    /** How many simulated nodes there are, with controllers and a scheduler; without, there is only the API server. */
    readonly nodes?: number;
    /** What kubectl finds in its environment, beside what it needs. */
    readonly env?: Readonly<Record<string, string>>;
  } = {},
): Promise<Tour> {
  const dir = mkdtempSync(join(tmpdir(), "wherry-kubectl-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  const how = { ...options, dir: join(dir, "data"), host: "127.0.0.1", port: 0 };
  const server = await (nodes === undefined ? start(how) : startServer({ ...how, nodes }));
  const followers = new Set<Follower>();
  const launch = (line: string, kubeconfig = server.kubeconfig) =>
    spawn("sh", ["-c", `exec kubectl ${line}`], {
      cwd: dir,
      env: { ...env, PATH: process.env.PATH, HOME: dir, KUBECONFIG: kubeconfig },
      stdio: ["ignore", "pipe", "pipe"],
    });
  return {
    dir,
    server,
    run: (line, kubeconfig) => finish(launch(line, kubeconfig)),
    follow(line) {
      const follower = followed(launch(line));
      followers.add(follower);
      return follower;
    },
    async close() {
      await Promise.all([...followers].map((follower) => follower.stop()));
      await server.close();
      rmSync(dir, { recursive: true });
    },
  };
}

/** A test per command, in this order: a later one may see what an earlier one did. */
export function testCommands(tour: () => Tour, rows: readonly Row[]): void {
  for (const row of rows) {
    test(`kubectl ${row[0]}`, async () => {
      expect(readable(await tour().run(row[0]))).toEqual(expectation(row));
    });
  }
}

/** What a row expects, to compare with what `readable` gives. */
export function expectation([, printed, code = 0]: Row): unknown {
  if (printed instanceof RegExp) return { code, printed: expect.stringMatching(printed) };
  return { code, printed: masked(typeof printed === "string" ? printed : printed.join("\n")) };
}

/** An outcome without what differs from run to run. */
export const readable = ({ code, printed }: Outcome): Outcome => ({
  code,
  printed: masked(printed),
});

/** Ages, times and ids have one spelling; columns are two spaces apart. */
function masked(text: string): string {
  return text
    .replaceAll(/\b\d+s\b/g, "0s")
    .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "UID")
    .replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "TIME")
    .replaceAll(/ {2,}/g, "  ")
    .replaceAll(/ +$/gm, "")
    .replaceAll(/( deleted) from \S+ namespace$/gm, "$1")
    .trimEnd();
}

type Child = ReturnType<typeof spawn>;

function finish(child: Child): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    let stdout = "";
    let stderr = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, printed: `${stdout}${stderr}` }));
  });
}

function followed(child: Child): Follower {
  let printed = "";
  const waiting = new Set<() => void>();
  const more = (text: string): void => {
    printed += text;
    for (const look of waiting) look();
  };
  child.stdout?.setEncoding("utf8").on("data", more);
  child.stderr?.setEncoding("utf8").on("data", more);
  const ended = new Promise<void>((resolve) => {
    child.on("close", () => resolve());
  });
  return {
    until: (pattern) =>
      new Promise((resolve) => {
        const look = (): void => {
          const text = masked(printed);
          if (!pattern.test(text)) return;
          waiting.delete(look);
          resolve(text);
        };
        waiting.add(look);
        look();
      }),
    stop() {
      child.kill();
      return ended;
    },
  };
}
