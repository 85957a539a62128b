import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import {
  startWherry,
  type WherryOutcome,
  type WherryProcess,
} from "../../../test/support/wherry-process.test-support.ts";
import { isRunning, type ProcessIdentity } from "../../platform/process-identity.ts";
import { removeNodeBoxes } from "../node/node-boxes.ts";

/** A user's machine: a home directory in which command lines start clusters. */
export interface Machine {
  readonly dir: string;
  readonly kubeconfig: string;
  /** The variables of its user. */
  readonly env: Readonly<Record<string, string>>;
  /** The directory with a cluster's record. */
  clusterDir(name: string): string;
  record(name: string): {
    readonly port: number;
    readonly dataDir: string;
    readonly process?: ProcessIdentity;
  };
  start(...args: readonly string[]): WherryProcess;
  run(...args: readonly string[]): Promise<WherryOutcome>;
  /** Runs a command line with this standard input. */
  feed(input: Uint8Array, ...args: readonly string[]): Promise<WherryOutcome>;
  kubectl(...args: readonly string[]): Promise<WherryOutcome>;
}

/** Whether the clusters of a machine run containers. */
export interface MachineOptions {
  readonly nodes?: "simulated" | "real";
}

/** Creates a machine that is removed with all its clusters when the test ends. */
export function newMachine(options?: MachineOptions): Machine {
  const machine = openMachine(options);
  onTestFinished(machine.remove);
  return machine;
}

/** Creates a machine for several tests, until it is removed with all its clusters. */
export function openMachine({ nodes = "simulated" }: MachineOptions = {}): Machine & {
  readonly remove: () => Promise<void>;
} {
  const dir = mkdtempSync(join(tmpdir(), "wherry-up-"));
  const kubeconfig = join(dir, "kubeconfig");
  const clusters = join(dir, "data", "wherry", "clusters");
  const env = {
    HOME: dir,
    XDG_DATA_HOME: join(dir, "data"),
    KUBECONFIG: kubeconfig,
    TMPDIR: dir,
  };
  const record = (name: string) =>
    JSON.parse(readFileSync(join(clusters, name, "cluster.json"), "utf8"));
  const remove = async (): Promise<void> => {
    for (const name of existsSync(clusters) ? readdirSync(clusters) : []) {
      const file = join(clusters, name, "cluster.json");
      const { process: identity } = existsSync(file) ? record(name) : {};
      if (identity && isRunning(identity)) process.kill(identity.pid, "SIGKILL");
      if (existsSync(file)) await removeNodeBoxes(record(name).dataDir);
    }
    rmSync(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  };
  // What is tested is the same for real nodes, which need root and more time.
  const start = (...args: readonly string[]) =>
    startWherry(args[0] === "up" && nodes === "simulated" ? [...args, "--simulated"] : args, {
      env,
      cwd: dir,
    });
  return {
    remove,
    dir,
    kubeconfig,
    env,
    clusterDir: (name) => join(clusters, name),
    record,
    start,
    run: (...args) => start(...args).ended,
    feed: (input, ...args) => startWherry(args, { env, cwd: dir, input }).ended,
    kubectl: (...args) =>
      new Promise((resolve) => {
        const child = execFile(
          "kubectl",
          args,
          { env: { ...process.env, ...env } },
          (_, stdout, stderr) => resolve({ code: child.exitCode, stdout, stderr }),
        );
      }),
  };
}

/** Masks times, ports and directories, which differ from run to run. */
export const masked = (text: string, { dir }: Machine): string =>
  text
    .replaceAll(dir, "DIR")
    .replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:PORT")
    .replaceAll(/\(\d+\.\d s\)/g, "(TIME)")
    .replaceAll(/\b\d+s\b/g, "0s")
    .replaceAll(/ {2,}/g, "  ");
