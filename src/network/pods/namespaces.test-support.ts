import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as after } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { projectRoot, runScript } from "../../../test/project.ts";
import type { ConnectedPod, NetworkedPod } from "../../cri/pod-network.ts";
import { type ChildResult, mustRun, runChild } from "../../platform/run-child.ts";
import { formatIp, parseIp } from "../../schema/values/ip.ts";

/** A network namespace that exists as long as its process. */
export interface Namespace {
  readonly pid: number;
  readonly path: string;
  /** Runs a script of the shell in it; rejects if that fails. */
  run(script: string): Promise<string>;
  tries(script: string): Promise<ChildResult>;
  /** Starts a script, until the test ends. */
  start(script: string): ChildProcess;
  end(): void;
}

/** Opens a network namespace until the test ends. */
export async function openNamespace(): Promise<Namespace> {
  const holder = spawn("unshare", [
    "--net",
    "sh",
    "-c",
    "ip link set lo up; echo; exec sleep 1000",
  ]);
  onTestFinished(() => void holder.kill("SIGKILL"));
  await once(holder.stdout, "data");
  const path = `/proc/${holder.pid}/ns/net`;
  const args = (script: string): string[] => [`--net=${path}`, "sh", "-e", "-c", script];
  return {
    pid: holder.pid ?? 0,
    path,
    run: (script) => mustRun("nsenter", args(script)),
    tries: (script) => runChild("nsenter", args(script)),
    start(script) {
      const child = spawn("nsenter", args(`exec ${script}`), {
        stdio: ["pipe", "pipe", "inherit"],
      });
      onTestFinished(() => void child.kill("SIGKILL"));
      return child;
    },
    end: () => void holder.kill("SIGKILL"),
  };
}

/**
 * Connects two namespaces by a cable, with addresses at each end. All of them are usable at once: a link-local address
 * that is being checked for duplicates asks for no neighbours, so that packets for them wait for seconds.
 */
export async function connectNamespaces(
  a: { readonly at: Namespace; readonly name: string; readonly addresses: readonly string[] },
  b: { readonly at: Namespace; readonly name: string; readonly addresses: readonly string[] },
): Promise<void> {
  await a.at.run(`ip link add ${a.name} type veth peer name ${b.name} netns ${b.at.pid}`);
  for (const { at, name, addresses } of [a, b]) {
    const nodad = (address: string): string => (address.includes(":") ? "nodad" : "");
    const lines = addresses.map((one) => `ip addr add ${one} dev ${name} ${nodad(one)}`);
    const settings = `sysctl -eqw net.ipv6.conf.${name}.accept_dad=0`;
    await at.run([settings, ...lines, `ip link set ${name} up`].join("\n"));
  }
}

/** A folder until the test ends. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "wherry-network-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The network of a node in a namespace, served by a process of its own. */
export interface NodeAgent {
  add(pod: NetworkedPod): Promise<readonly string[]>;
  remove(pod: NetworkedPod): Promise<void>;
  takeOver(pods: readonly ConnectedPod[], damaged: readonly string[]): Promise<void>;
  setRange(podCidrs: string): Promise<void>;
  /** Kills the process, wherever it is. */
  kill(): Promise<void>;
}

export interface NodeAgentOptions {
  readonly folder: string;
  readonly podCidr?: string | undefined;
}

/** Starts the network of a node's pods in a namespace. */
export async function startAgent(at: Namespace, options: NodeAgentOptions): Promise<NodeAgent> {
  const file = join(import.meta.dirname, "network-driver.test-support.ts");
  const { call, kill } = startProgram(at, file, options);
  return {
    add: (pod) => call("add", pod),
    remove: (pod) => call("remove", pod),
    takeOver: (pods, damaged) => call("takeOver", pods, damaged),
    setRange: (podCidrs) => call("setRange", podCidrs),
    kill,
  };
}

/** The bundles that `run.mjs` has made in this process, by their files. */
const bundles = new Map<string, readonly string[]>();
const bundleOf = (file: string): string => {
  const name = relative(projectRoot, file).replaceAll("/", "-");
  return join(projectRoot, "node_modules", ".cache", "wherry", `${name}.mjs`);
};

/** A program that receives a call per line, and responds to it. */
export interface CalledProgram {
  call<T>(name: string, ...args: readonly unknown[]): Promise<T>;
  kill(): Promise<void>;
}

/** Starts a program in a namespace, until the test ends. */
export function startProgram(at: Namespace, file: string, options: object): CalledProgram {
  const program = bundles.get(file) ?? [runScript, file];
  const child = spawn(
    "nsenter",
    [`--net=${at.path}`, process.execPath, ...program, JSON.stringify(options)],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  const waiting = new Map<number, (response: Response) => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const response = JSON.parse(line) as Response;
    waiting.get(response.id)?.(response);
  });
  child.stdin.on("error", () => {});
  let last = 0;
  return {
    async call<T>(name: string, ...args: readonly unknown[]) {
      const id = ++last;
      const responded = new Promise<Response>((resolve) => waiting.set(id, resolve));
      child.stdin.write(`${JSON.stringify({ id, call: name, args })}\n`);
      const { error, value } = await responded;
      // From now on, the program need not be bundled again.
      bundles.set(file, [bundleOf(file)]);
      if (error !== undefined) throw new Error(error);
      return value as T;
    },
    async kill() {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}

interface Response {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

/** A pod in a namespace of its own. */
export interface TestPod extends NetworkedPod {
  readonly at: Namespace;
}

/** Makes the namespace of a pod; its sandbox ID is made of the number. */
export async function openPod(
  number: number,
  config: Partial<NetworkedPod["config"]> = {},
): Promise<TestPod> {
  const at = await openNamespace();
  return podAt(at, number, config);
}

/** A pod of a namespace that is there already. */
export const podAt = (
  at: Namespace,
  number: number,
  config: Partial<NetworkedPod["config"]> = {},
): TestPod => ({
  ...{ at, namespace: at.path, sandboxId: number.toString(16).padStart(8, "0").padEnd(64, "5") },
  config: {
    metadata: { name: `pod-${number}`, namespace: "default", uid: String(number), attempt: 0 },
    ...{ hostname: "pod", hostNetwork: false, labels: {}, annotations: {}, ...config },
  },
});

/** A listener of TCP that tells each client its address; resolves with what a client hears. */
export async function heardBy(from: Namespace, to: Namespace, address: string): Promise<string> {
  const isV6 = address.includes(":");
  const family = isV6 ? "TCP6" : "TCP4";
  const listener = to.start(`socat ${family}-LISTEN:80,reuseaddr SYSTEM:'echo $SOCAT_PEERADDR'`);
  try {
    return await heard(from, `${family}:${isV6 ? `[${address}]` : address}:80`);
  } finally {
    listener.kill("SIGKILL");
  }
}

/** What a client of socat hears, when somebody listens. */
export async function heard(from: Namespace, address: string): Promise<string> {
  const text = await from.run(
    `i=0; until socat -T2 -u ${address},connect-timeout=2 - 2>/dev/null; do i=$((i+1)); [ $i -lt 60 ] || exit 1; sleep 0.05; done`,
  );
  const ip = parseIp(text.trim().replace(/[[\]]/g, ""));
  return ip ? formatIp(ip) : text.trim();
}

/** Resolves when a script has the output that is expected; fails after some seconds. */
export async function until(
  at: Namespace,
  script: string,
  isDone: (text: string) => boolean,
): Promise<void> {
  let text = "";
  for (const end = Date.now() + 10_000; Date.now() < end; ) {
    text = (await at.tries(script)).stdout;
    if (isDone(text)) return;
    await after(50);
  }
  throw new Error(`${script}: still ${text}`);
}
