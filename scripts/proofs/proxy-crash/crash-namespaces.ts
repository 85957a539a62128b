import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mustRun } from "../../../src/platform/run-child.ts";

/** A network namespace that ends when it is closed, or with this process. */
export interface CrashNamespace {
  readonly pid: number;
  /** What runs a program in it. */
  readonly prefix: readonly string[];
  run(script: string): Promise<string>;
  close(): void;
}

/** Runs this program again in a network namespace of its own; ends with its exit code. */
export function runInNamespace(args: readonly string[]): never {
  const program = [process.execPath, ...process.execArgv, process.argv[1] ?? "", ...args];
  const { status } = spawnSync("unshare", ["--net", ...program], { stdio: "inherit" });
  process.exit(status ?? 1);
}

/** Opens a network namespace. */
export async function openCrashNamespace(): Promise<CrashNamespace> {
  // It ends when the other end of the pipe does.
  const script = "ip link set lo up; sysctl -qw net.ipv4.ip_forward=1; echo; exec cat";
  const holder = spawn("unshare", ["--net", "sh", "-e", "-c", script], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  await once(holder.stdout, "data");
  const prefix = ["nsenter", `--net=/proc/${holder.pid}/ns/net`];
  return {
    ...{ pid: holder.pid ?? 0, prefix },
    run: (script) => mustRun("nsenter", [...prefix.slice(1), "sh", "-e", "-c", script]),
    close: () => void holder.kill("SIGKILL"),
  };
}

/** The address of the API server, which all namespaces reach. */
export const serverAddress = "192.0.2.1";

/** Connects a namespace to the one of this process, in which the API server runs. */
export async function connectToServer(
  { pid, run }: CrashNamespace,
  name: string,
  address: string,
): Promise<void> {
  const script = `
ip link add ${name} type veth peer name api netns ${pid}
ip link set ${name} up
ip route replace ${address} dev ${name}`;
  await mustRun("sh", ["-e", "-c", script]);
  await run(`
ip address add ${address}/32 dev api
ip link set api up
ip route add ${serverAddress} dev api`);
}
