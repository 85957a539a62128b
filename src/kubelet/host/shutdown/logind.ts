import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { boundToParent } from "../../../platform/bound-to-parent.ts";
import { mustRun } from "../../../platform/run-child.ts";
import { spawned } from "../../../platform/spawned.ts";

/** The login manager of systemd, through its own programs. */
export interface Logind {
  /** How long the machine waits at most for those who delay its shutdown. */
  maxDelaySeconds(): Promise<number>;
  /** Has the machine wait so long; takes effect a moment later. */
  raiseMaxDelay(seconds: number): Promise<void>;
  /** Delays the shutdown of the machine until the lock is released, or this process ends. */
  delayShutdown(): ShutdownLock;
  /** Calls back with true when the machine is about to shut down, and with false when it does not after all. */
  watch(changed: (isShuttingDown: boolean) => void, ended: () => void): { close(): void };
}

export interface ShutdownLock {
  release(): void;
}

export interface LogindOptions {
  readonly busctl?: string | undefined;
  readonly systemdInhibit?: string | undefined;
  /** The file that overrides settings of logind. */
  readonly configFile?: string | undefined;
}

export function openLogind({
  busctl = "busctl",
  systemdInhibit = "systemd-inhibit",
  configFile = "/etc/systemd/logind.conf.d/99-kubelet.conf",
}: LogindOptions = {}): Logind {
  return {
    async maxDelaySeconds() {
      const property = [service, object, manager, "InhibitDelayMaxUSec"];
      const text = await mustRun(busctl, ["get-property", ...property]);
      const [, micros] = /^t (\d+)/.exec(text) ?? [];
      if (micros === undefined) throw new Error(`cannot parse the answer of logind: ${text}`);
      return Number(micros) / 1e6;
    },
    async raiseMaxDelay(seconds) {
      await mkdir(dirname(configFile), { recursive: true, mode: 0o755 });
      const text = `# Kubelet logind override\n[Login]\nInhibitDelayMaxSec=${Math.ceil(seconds)}\n`;
      await writeFile(configFile, text, { mode: 0o644 });
      await mustRun(busctl, ["call", ...killUnit, "ssi", "systemd-logind.service", "all", "1"]);
    },
    delayShutdown() {
      const words = ["--what=shutdown", "--who=kubelet", "--mode=delay", `--why=${why}`];
      // The lock is held by a program that ends with its input, and so with this process.
      const args = [...words, "cat"];
      const stdio = ["pipe", "ignore", "ignore"] as const;
      const child = spawned(spawn(systemdInhibit, args, { stdio: [...stdio] }), systemdInhibit);
      child.on("error", () => {});
      child.stdin?.on("error", () => {});
      return { release: () => child.stdin?.end() };
    },
    watch(changed, ended) {
      const args = boundToParent(busctl, ["monitor", "--json=short", `--match=${match}`]);
      const child = spawned(spawn("sh", args, { stdio: ["ignore", "pipe", "ignore"] }), busctl);
      follow(child, changed);
      child.on("error", () => {});
      child.on("close", ended);
      return { close: () => child.kill("SIGKILL") };
    },
  };
}

const service = "org.freedesktop.login1";
const object = "/org/freedesktop/login1";
const manager = "org.freedesktop.login1.Manager";
const match = `type='signal',interface='${manager}',member='PrepareForShutdown',path='${object}'`;
const killUnit = [
  "org.freedesktop.systemd1",
  "/org/freedesktop/systemd1",
  "org.freedesktop.systemd1.Manager",
  "KillUnit",
];
const why = "Kubelet needs time to handle node shutdown";

function follow({ stdout }: ChildProcess, changed: (isShuttingDown: boolean) => void): void {
  if (!stdout) return;
  createInterface({ input: stdout }).on("line", (line) => {
    const isShuttingDown = shutdownSignal(line);
    if (isShuttingDown !== undefined) changed(isShuttingDown);
  });
}

/** What a line of the monitor says about a shutdown; undefined if it is about something else. */
function shutdownSignal(line: string): boolean | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    const { member, payload } = JSON.parse(line);
    const [value] = payload?.data ?? [];
    return member === "PrepareForShutdown" && typeof value === "boolean" ? value : undefined;
  } catch {
    return undefined;
  }
}
