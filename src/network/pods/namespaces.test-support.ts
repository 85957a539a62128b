import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { runScript } from "../../../test/project.ts";
import type { ConnectedPod, NetworkedPod } from "../../cri/pod-network.ts";
import { type ChildResult, mustRun, runChild } from "../../platform/run-child.ts";

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

/** Connects two namespaces by a cable, with addresses at each end. */
export async function connectNamespaces(
  a: { readonly at: Namespace; readonly name: string; readonly addresses: readonly string[] },
  b: { readonly at: Namespace; readonly name: string; readonly addresses: readonly string[] },
): Promise<void> {
  await a.at.run(`ip link add ${a.name} type veth peer name ${b.name} netns ${b.at.pid}`);
  for (const { at, name, addresses } of [a, b]) {
    const nodad = (address: string): string => (address.includes(":") ? "nodad" : "");
    const lines = addresses.map((one) => `ip addr add ${one} dev ${name} ${nodad(one)}`);
    await at.run([...lines, `ip link set ${name} up`].join("\n"));
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
  const program = join(import.meta.dirname, "network-driver.test-support.ts");
  const child = spawn(
    "nsenter",
    [`--net=${at.path}`, process.execPath, runScript, program, JSON.stringify(options)],
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
  const call = async (name: string, ...args: readonly unknown[]): Promise<never> => {
    const id = ++last;
    const responded = new Promise<Response>((resolve) => waiting.set(id, resolve));
    child.stdin.write(`${JSON.stringify({ id, call: name, args })}\n`);
    const { error, value } = await responded;
    if (error !== undefined) throw new Error(error);
    return value as never;
  };
  return {
    add: (pod) => call("add", pod),
    remove: (pod) => call("remove", pod),
    takeOver: (pods, damaged) => call("takeOver", pods, damaged),
    setRange: (podCidrs) => call("setRange", podCidrs),
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
