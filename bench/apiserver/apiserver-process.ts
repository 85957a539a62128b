import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { steadyShapesPlugin } from "../../scripts/build/steady-shapes.mjs";
import { clusterNodeFlags } from "../../src/cluster/up/cluster-process.ts";

/** A server in a process of its own. */
export interface Server {
  readonly child: ChildProcess;
  readonly port: number;
  readonly startedMs: number;
}

// Beside the packages that the bundles import.
const out = join("node_modules", ".cache", "wherry", "bench");
const children = new Set<ChildProcess>();

let against: string | undefined;
/** The checkout of another state of the project that is to be measured, too. */
export const otherCheckout = (): string | undefined => against;

/** Bundles all servers as the package ships its own. */
export async function bundleServers(other?: string): Promise<void> {
  against = other;
  await bundle(".", {
    wherry: "src/cluster/main.ts",
    bare: "bench/apiserver/apiserver-bare.ts",
    noise: "bench/apiserver/apiserver-noise.ts",
  });
  if (other !== undefined) await bundle(other, { wherry: "src/cluster/main.ts" });
}

async function bundle(
  directory: string,
  entryPoints: Readonly<Record<string, string>>,
): Promise<void> {
  await build({
    absWorkingDir: resolve(directory),
    entryPoints,
    outdir: out,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    packages: "external",
    plugins: [steadyShapesPlugin],
    logLevel: "warning",
  });
}

type ServerCommand = "apiserver" | "server";

export const startWherry = (
  data: string,
  command: ServerCommand = "apiserver",
  ...flags: string[]
): Promise<Server> => startFrom(".", [command, "--data-dir", data, ...flags]);

/** The server of the other checkout. */
export const startAgainst = (
  data: string,
  command: ServerCommand = "apiserver",
  ...flags: string[]
): Promise<Server> => startFrom(against ?? ".", [command, "--data-dir", data, ...flags]);

const startFrom = (directory: string, args: readonly string[]): Promise<Server> =>
  start([join(directory, out, "wherry.mjs"), ...args, "--secure-port", "0"]);

/** Another program of the bundle, which says nothing when it is ready. */
export function spawnWherry(...args: string[]): ChildProcess {
  const child = spawn(process.execPath, [join(out, "wherry.mjs"), ...args], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  children.add(child);
  child.on("exit", () => children.delete(child));
  return child;
}

/** The reference, which answers every request with the bytes of a file. */
export const startBare = (protocol: "h2" | "https", pki: string, file?: string): Promise<Server> =>
  start([join(out, "bare.mjs"), protocol, pki, ...(file === undefined ? [] : [file])]);

/** A client in a process of its own that sends as many requests as it can. */
export interface Noise {
  /** Ends it, and gives how many of its requests had which status. */
  end(): Promise<Readonly<Record<string, number>>>;
}

/** Starts `apiserver-noise.ts`. */
export async function startNoise(...args: readonly (string | number)[]): Promise<Noise> {
  const child = spawn(process.execPath, [join(out, "noise.mjs"), ...args.map(String)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.add(child);
  let text = "";
  await new Promise<void>((resolve, reject) => {
    child.stdout.on("data", (chunk) => {
      text += chunk;
      if (text.includes("ready\n")) resolve();
    });
    child.on("exit", (code) => {
      children.delete(child);
      reject(new Error(`the noise ended with ${code}: ${text}`));
    });
  });
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  return {
    async end() {
      child.kill("SIGTERM");
      await ended;
      return JSON.parse(text.slice("ready\n".length));
    },
  };
}

function start(args: readonly string[]): Promise<Server> {
  const began = performance.now();
  // As `wherry up` has it.
  const child = spawn(process.execPath, [...clusterNodeFlags, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.add(child);
  return new Promise((resolve, reject) => {
    let text = "";
    child.stdout?.on("data", (chunk) => {
      text += chunk;
      const port = Number(/ready: https:\/\/[\d.]+:(\d+)/.exec(text)?.[1]);
      if (port > 0) resolve({ child, port, startedMs: performance.now() - began });
    });
    child.on("exit", (code) => {
      children.delete(child);
      reject(new Error(`${args[0]} ended with ${code}: ${text}`));
    });
  });
}

export function stop({ child }: Server): Promise<void> {
  return new Promise((resolve) => {
    child.on("exit", () => resolve());
    child.kill("SIGTERM");
  });
}

/** Ends what is still running, however the benchmark went. */
export function killAll(): void {
  for (const child of children) child.kill("SIGKILL");
}

/** Megabytes of memory that are resident, from the kernel's books. */
export function megabytes({ child }: Server): number {
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
  return (Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024) / 1e6;
}

/** Milliseconds of processor time so far, to the hundredth of a second that the kernel counts in. */
export function processorMs({ child }: Server): number {
  const stat = readFileSync(`/proc/${child.pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Bytes so far that were sent to a disk. */
export function writtenBytes({ child }: Server): number {
  const io = readFileSync(`/proc/${child.pid}/io`, "utf8");
  return Number(/^write_bytes: (\d+)/m.exec(io)?.[1]);
}
