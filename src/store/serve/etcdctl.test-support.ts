import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGrpcClient } from "../../platform/grpc/grpc-client.ts";
import { etcdMethods } from "../etcd/etcd-methods.ts";

/** Whether this machine has etcd and its client; tests that need them are skipped where it has not. */
export const hasEtcdctl: boolean = ["etcd", "etcdctl"].every(
  (program) => spawnSync(program, ["version"], { timeout: 5000 }).error === undefined,
);

export interface Printed {
  readonly code: number;
  readonly stdout: string;
  /** The last line, without what the client says of its own doings. */
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
    child.stdin?.end(input);
  });
}

/** Starts an etcdctl that goes on, such as a watch; `until` resolves with what was printed so far. */
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

export interface RealEtcd {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** Starts an etcd on loopback, in a directory of its own. */
export async function startRealEtcd(): Promise<RealEtcd> {
  const dir = await mkdtemp(join(tmpdir(), "wherry-serve-"));
  const [client, peer] = await Promise.all([freePort(), freePort()]);
  const url = (port: number): string => `http://127.0.0.1:${port}`;
  const child = spawn(
    "etcd",
    [
      ["--name", "wherry", "--data-dir", dir, "--log-level", "error"],
      ["--listen-client-urls", url(client), "--advertise-client-urls", url(client)],
      ["--listen-peer-urls", url(peer), "--initial-advertise-peer-urls", url(peer)],
      ["--initial-cluster", `wherry=${url(peer)}`],
    ].flat(),
    { stdio: "ignore" },
  );
  const endpoint = `127.0.0.1:${client}`;
  for (let leader = 0n; leader === 0n; ) {
    if (child.exitCode !== null) throw new Error(`etcd ended with ${child.exitCode}`);
    leader = await leaderOf(endpoint);
  }
  return {
    endpoint,
    async stop() {
      await stopped(child);
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function leaderOf(address: string): Promise<bigint> {
  const client = createGrpcClient({ address });
  try {
    return (await client.unary(etcdMethods.status, {}, { timeoutMs: 1000 })).leader;
  } catch {
    await new Promise((resolve) => setTimeout(resolve, 50));
    return 0n;
  } finally {
    client.close();
  }
}

const environment = { ...process.env, ETCDCTL_API: "3" };

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  await once(server.close(), "close");
  return typeof address === "object" && address ? address.port : 0;
}
