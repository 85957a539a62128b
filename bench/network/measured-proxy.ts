import { spawn } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import type { CrashNamespace } from "../../scripts/proofs/proxy-crash/crash-namespaces.ts";

/** A service proxy that runs in a namespace. */
export interface MeasuredProxy {
  log(): string;
  hasEnded(): boolean;
  close(): Promise<void>;
}

export function startMeasuredProxy(
  { prefix }: CrashNamespace,
  command: readonly string[],
): MeasuredProxy {
  const [program = "", ...args] = [...prefix, ...command];
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log = `${log}${text}`.slice(-longestLog);
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  return {
    log: () => log,
    hasEnded: () => child.exitCode !== null,
    close() {
      child.kill();
      return ended;
    },
  };
}

const longestLog = 1 << 16;

/** How long a proxy took to program all services of IPv4, as it says itself; waits until it has. */
export async function fullSyncMs(address: string, proxy: MeasuredProxy): Promise<number> {
  const name = "kubeproxy_sync_full_proxy_rules_duration_seconds";
  for (const end = Date.now() + patienceMs; Date.now() < end; await wait(50)) {
    if (proxy.hasEnded()) break;
    const text = await fetch(`http://${address}:10249/metrics`).then(
      (response) => response.text(),
      () => "",
    );
    const read = (suffix: string): number =>
      Number(new RegExp(`^${name}_${suffix}\\{ip_family="IPv4"\\} (\\S+)$`, "m").exec(text)?.[1]);
    if (read("count") > 0) return (read("sum") / read("count")) * 1000;
  }
  throw new Error(`the proxy has not programmed all services: ${proxy.log()}`);
}

const patienceMs = 60_000;
