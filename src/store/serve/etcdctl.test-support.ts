import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { hasEtcd } from "../etcd/etcd-server.test-support.ts";

/** Whether this machine has etcd and etcdctl; otherwise, tests that need them are skipped. */
export const hasEtcdctl: boolean = hasEtcd && spawnSync("etcdctl", ["version"]).error === undefined;

export interface Printed {
  readonly code: number;
  readonly stdout: string;
  /** The last line, without the client's own log. */
  readonly error: string;
}

/** Runs etcdctl to its end. */
export function etcdctl(endpoint: string, args: readonly string[], input = ""): Promise<Printed> {
  return new Promise((resolve) => {
    const child = execFile(
      "etcdctl",
      ["--endpoints", endpoint, "--command-timeout", "20s", ...args],
      { env: environment, encoding: "utf8" },
      (error, stdout, stderr) => {
        const lines = stderr.split("\n").filter((line) => line !== "" && !line.startsWith("{"));
        resolve({ code: error ? Number(error.code) : 0, stdout, error: lines.at(-1) ?? "" });
      },
    );
    // A process that ends without reading its input is not an error.
    child.stdin?.on("error", () => undefined).end(input);
  });
}

/** Starts a long-running etcdctl, such as a watch; `until` resolves with the output so far. */
export function following(endpoint: string, args: readonly string[]) {
  const child = spawn("etcdctl", ["--endpoints", endpoint, ...args], { env: environment });
  let printed = "";
  child.stdout.on("data", (piece: Buffer) => {
    printed += piece.toString();
  });
  return {
    async until(isEnough: (printed: string) => boolean): Promise<string> {
      while (!isEnough(printed)) await once(child.stdout, "data");
      return printed;
    },
    stop: () => stopped(child),
  };
}

const environment = { ...process.env, ETCDCTL_API: "3" };

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}
