// wherry kubectl against bare Node and the original kubectl, each in processes of its own, one after the other.
// npm run bench kubectl [-- --original KUBECTL]; WHERRY_BENCH_KUBECTL names it, too. Without it, that part is left out.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { verdict } from "../race-verdict.ts";

const rounds = 15;
const few = 20;
const many = 10_000;
const program = resolve("dist", "wherry.cjs");
const reporter = resolve("bench", "kubectl", "report-memory.cjs");
const { values } = parseArgs({ options: { original: { type: "string" } } });
const original = values.original ?? process.env.WHERRY_BENCH_KUBECTL;

type Command = readonly [program: string, ...args: string[]];
const ours = (...args: string[]): Command => [process.execPath, program, "kubectl", ...args];

console.log(`${cpus()[0]?.model}, ${cpus().length} processors, Node ${process.versions.node}`);
execFileSync("npm", ["run", "--silent", "build"], { stdio: "inherit" });
const home = mkdtempSync(join(tmpdir(), "wherry-bench-"));
const env: NodeJS.ProcessEnv = { PATH: process.env.PATH, HOME: home };
const { port, stop } = await startServer();
try {
  env.KUBECONFIG = join(home, "config");
  writeFileSync(env.KUBECONFIG, kubeconfig(port));
  benchStart();
  benchGet();
  benchTable();
} finally {
  stop();
  rmSync(home, { recursive: true });
}

/** A command that calls no server, over a Node that does nothing. */
function benchStart(): void {
  const [bare, version] = race([process.execPath, "-e", "0"], ours("version", "--client"));
  console.log(`version --client: ${version.toFixed(0)} ms; node -e 0: ${bare.toFixed(0)} ms`);
  verdict("version --client to bare Node", version / bare, 1.6);
}

/** Twenty pods of a server whose discovery is in the cache of both. */
function benchGet(): void {
  const args = ["get", "pods", "-n", "few"];
  expectLines(ours(...args), few + 1);
  if (original === undefined) {
    console.log("get pods: left out, since no original is given");
    return;
  }
  expectLines([original, ...args], few + 1);
  const [theirs, own] = race([original, ...args], ours(...args));
  console.log(`get pods: ${own.toFixed(0)} ms; original ${theirs.toFixed(0)} ms`);
  verdict("get pods to the original", own / theirs, 1.5);
}

/** The rows of all pages are kept, because the last may have the widest cell, but not their objects. */
function benchTable(): void {
  const base = memoryOf(ours("get", "pods", "-n", "few"), few + 1);
  const whole = memoryOf(ours("get", "pods", "-n", "many"), many + 1);
  console.log(`${many} pods: ${whole.toFixed(0)} MB at most; ${few} pods: ${base.toFixed(0)} MB`);
  verdict("memory of a table of 10,000 pods to one of 20", whole / base, 3);
}

/** The least wall times of two commands, which run in turns: whatever else runs only adds to them. */
function race(...commands: readonly [Command, Command]): [number, number] {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++)
    for (const [i, command] of commands.entries()) times[i]?.push(wallTime(command));
  return [Math.min(...times[0]), Math.min(...times[1])];
}

function wallTime(command: Command): number {
  const began = performance.now();
  run(command);
  return performance.now() - began;
}

function memoryOf(command: Command, lines: number): number {
  const file = join(home, "memory");
  const options = { NODE_OPTIONS: `--require ${reporter}`, BENCH_MEMORY: file };
  expectLines(command, lines, options);
  return Number(readFileSync(file, "utf8"));
}

function expectLines(command: Command, lines: number, more: NodeJS.ProcessEnv = {}): void {
  const found = run(command, more).split("\n").length - 1;
  if (found !== lines) throw new Error(`${command.join(" ")} printed ${found} lines, not ${lines}`);
}

function run([file, ...args]: Command, more: NodeJS.ProcessEnv = {}): string {
  const { status, stdout, stderr } = spawnSync(file, args, {
    env: { ...env, ...more },
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  if (status !== 0) throw new Error(`${args.join(" ")} ended with ${status}: ${stderr}`);
  return stdout;
}

async function startServer(): Promise<{ readonly port: number; stop(): void }> {
  // Beside the packages that the bundle imports.
  const outfile = join("node_modules", ".cache", "wherry", "bench", "kubectl-server.mjs");
  await build({
    entryPoints: [join("bench", "kubectl", "kubectl-server.ts")],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
    logLevel: "warning",
  });
  const child = spawn(process.execPath, [outfile, String(few), String(many)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const said = await new Promise<string>((ready, failed) => {
    child.stdout.once("data", (chunk) => ready(String(chunk)));
    child.once("exit", (code) => failed(new Error(`the server ended with ${code}`)));
  });
  return { port: Number(/port (\d+)/.exec(said)?.[1]), stop: () => void child.kill() };
}

function kubeconfig(port: number): string {
  return `apiVersion: v1
kind: Config
current-context: bench
contexts:
- name: bench
  context: {cluster: bench, user: bench}
clusters:
- name: bench
  cluster: {server: "http://127.0.0.1:${port}"}
users:
- name: bench
  user: {}
`;
}
