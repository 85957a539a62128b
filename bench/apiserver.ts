import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type ClientHttp2Session, connect } from "node:http2";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { typicalPod } from "./pod.ts";
import { measure } from "./store-measure.ts";

console.log(`node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? "?"}`);
const work = mkdtempSync(join(tmpdir(), "wherry-bench-"));
// Beside the packages that the bundles import.
const out = join("node_modules", ".cache", "wherry", "bench");
const children: ChildProcess[] = [];
let missed = 0;
const maps = "/api/v1/namespaces/production/configmaps";
try {
  await build({
    entryPoints: { wherry: "src/cluster/main.ts", bare: "bench/apiserver-bare.ts" },
    outdir: out,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    packages: "external",
    minifySyntax: true,
    logLevel: "warning",
  });
  await run();
} finally {
  for (const child of children) child.kill("SIGKILL");
  rmSync(work, { recursive: true });
}
process.exitCode = missed > 0 ? 1 : 0;

interface Server {
  readonly child: ChildProcess;
  readonly port: number;
  readonly startedMs: number;
}

async function run(): Promise<void> {
  const data = join(work, "data");
  const wherry = [join(out, "wherry.mjs"), "apiserver", "--data-dir", data, "--secure-port", "0"];
  const pki = join(data, "pki");
  const first = await start(wherry);
  console.log(
    `\nfirst start, with certificates to make: ready after ${first.startedMs.toFixed(0)} ms`,
  );
  await stop(first);

  const starts = { bare: [] as number[], wherry: [] as number[] };
  for (let i = 0; i < 7; i++) {
    const bare = await start([join(out, "bare.mjs"), "https", pki]);
    starts.bare.push(bare.startedMs);
    await stop(bare);
    const own = await start(wherry);
    starts.wherry.push(own.startedMs);
    await stop(own);
  }
  const later = median(starts.wherry) - median(starts.bare);
  const startLine = `bare node:https listens after ${median(starts.bare).toFixed(0)} ms, wherry is ready after ${median(starts.wherry).toFixed(0)} ms`;
  console.log(startLine);
  verdict("ready after a bare server would listen", later, { most: 450, unit: "ms" });

  const server = await start(wherry);
  await idle(server, pki);
  const session = open(server.port, pki);
  await request(session, "POST", "/api/v1/namespaces", {
    kind: "Namespace",
    apiVersion: "v1",
    metadata: { name: "production" },
  });
  await request(session, "POST", "/api/v1/namespaces/production/serviceaccounts", {
    kind: "ServiceAccount",
    apiVersion: "v1",
    metadata: { name: "web" },
  });
  const created = await request(session, "POST", "/api/v1/namespaces/production/pods", typicalPod);
  if (created.status !== 201) throw new Error(created.body);
  writeFileSync(join(work, "get.json"), created.body);
  const bare = await start([
    join(out, "bare.mjs"),
    "h2",
    pki,
    join(work, "get.json"),
    join(work, "get.json"),
  ]);
  const reference = open(bare.port, pki);

  const path = "/api/v1/namespaces/production/pods";
  let number = 0;
  const post = (to: ClientHttp2Session) => {
    number++;
    const pod = { ...typicalPod, metadata: { ...typicalPod.metadata, name: `web-${number}` } };
    return request(to, "POST", path, pod).then(expectStatus(201));
  };
  const get = (to: ClientHttp2Session) =>
    request(to, "GET", `${path}/${typicalPod.metadata.name}`).then(expectStatus(200));
  await compare("GET of a Pod", {
    own: () => get(session),
    bare: () => get(reference),
    least: 0.5,
  });
  // The kind with the most to default and to validate.
  await compare("durable create of a Pod", {
    own: () => post(session),
    bare: () => post(reference),
    least: 0.2,
  });
  await createSmall(session, pki);
  session.close();
  reference.close();
}

/** The same with an object of a few lines. */
async function createSmall(session: ClientHttp2Session, pki: string): Promise<void> {
  const file = join(work, "small.json");
  writeFileSync(file, (await request(session, "POST", maps, configMap(0))).body);
  const bare = await start([join(out, "bare.mjs"), "h2", pki, file, file]);
  const reference = open(bare.port, pki);
  let number = 0;
  const post = (to: ClientHttp2Session) =>
    request(to, "POST", maps, configMap(++number)).then(expectStatus(201));
  await compare("durable create of a ConfigMap", {
    own: () => post(session),
    bare: () => post(reference),
    least: 0.2,
  });
  reference.close();
}

function configMap(number: number): object {
  return {
    kind: "ConfigMap",
    apiVersion: "v1",
    metadata: { name: `settings-${number}`, labels: { app: "web" } },
    data: { "web.yaml": "listen: :8080\nlogFormat: json\n", LOG_LEVEL: "info" },
  };
}

/** Both in turns, 32 in flight, once both are warm; the ratio of the medians. */
async function compare(
  what: string,
  {
    own,
    bare,
    least,
  }: { own: () => Promise<unknown>; bare: () => Promise<unknown>; least: number },
): Promise<void> {
  const rates = { own: [] as number[], bare: [] as number[] };
  for (const run of [bare, own]) await measure({ workers: 32, seconds: 4 }, run);
  for (let round = 0; round < 5; round++) {
    rates.bare.push((await measure({ workers: 32, seconds: 1 }, bare)).perSecond);
    rates.own.push((await measure({ workers: 32, seconds: 1 }, own)).perSecond);
  }
  const [a, b] = [median(rates.own), median(rates.bare)];
  console.log(
    `\n${what}: ${a.toFixed(0)}/s; bare node:http2 answering the same bytes ${b.toFixed(0)}/s`,
  );
  verdict(what, a / b, { least, unit: "×" });
}

async function idle(server: Server, pki: string): Promise<void> {
  const bare = await start([join(out, "bare.mjs"), "h2", pki]);
  // One request each, so that both have done what they do at least once.
  for (const { port } of [server, bare]) {
    const session = open(port, pki);
    await request(session, "GET", "/api/v1/namespaces/default");
    session.close();
  }
  const own = memory(server) / 1e6;
  const reference = memory(bare) / 1e6;
  console.log(`\nidle memory: ${own.toFixed(0)} MB; bare server ${reference.toFixed(0)} MB`);
  verdict("idle memory over the bare server's", own - reference, { most: 60, unit: "MB" });
  await stop(bare);
}

/** The resident set, from the kernel's books. */
function memory({ child }: Server): number {
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024;
}

function start(args: readonly string[]): Promise<Server> {
  const began = performance.now();
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  return new Promise((resolve, reject) => {
    let text = "";
    child.stdout?.on("data", (chunk) => {
      text += chunk;
      const port = Number(/ready: https:\/\/[\d.]+:(\d+)/.exec(text)?.[1]);
      if (port > 0) resolve({ child, port, startedMs: performance.now() - began });
    });
    child.on("exit", (code) => reject(new Error(`${args[0]} ended with ${code}: ${text}`)));
  });
}

function stop({ child }: Server): Promise<void> {
  return new Promise((resolve) => {
    child.removeAllListeners("exit");
    child.on("exit", () => resolve());
    child.kill("SIGTERM");
  });
}

function open(port: number, pki: string): ClientHttp2Session {
  return connect(`https://127.0.0.1:${port}`, {
    ca: readFileSync(`${pki}/ca.crt`),
    cert: readFileSync(`${pki}/admin.crt`),
    key: readFileSync(`${pki}/admin.key`),
  });
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

function request(
  session: ClientHttp2Session,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      ":method": method,
      ":path": path,
      accept: "application/json",
      ...(body && { "content-type": "application/json" }),
    });
    let status = 0;
    const chunks: Buffer[] = [];
    stream.on("response", (headers) => {
      status = Number(headers[":status"]);
    });
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("end", () => resolve({ status, body: Buffer.concat(chunks).toString() }));
    stream.on("error", reject);
    stream.end(body && JSON.stringify(body));
  });
}

function expectStatus(wanted: number): (answer: Answer) => void {
  return (answer) => {
    if (answer.status !== wanted) throw new Error(`${answer.status}: ${answer.body}`);
  };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function verdict(
  what: string,
  value: number,
  { most, least, unit }: { most?: number; least?: number; unit: string },
): void {
  const ok = (most === undefined || value <= most) && (least === undefined || value >= least);
  const bound = most === undefined ? `≥ ${least}` : `≤ ${most}`;
  console.log(
    `${what}: ${value.toFixed(unit === "×" ? 2 : 0)} ${unit} (bound ${bound} ${unit}) ${ok ? "ok" : "MISSED"}`,
  );
  if (!ok) missed++;
}
