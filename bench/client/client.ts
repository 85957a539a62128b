// wherry/client against @kubernetes/client-node, each in processes of its own, one after the other.
import { execFileSync, spawn } from "node:child_process";
import { cpus } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { median, verdict } from "../race-verdict.ts";

const pods = 10_000;
const events = 20_000;
const rounds = 5;
const subject = join("bench", "client-subject.mjs");
type Which = "client-node" | "wherry";
interface Figures {
  readonly importMs: number;
  readonly syncMs: number;
  readonly rssMb: number;
  readonly heapMb: number;
  readonly eventsPerSecond: number;
}

const figures = [
  ["importMs", "ms"],
  ["syncMs", "ms"],
  ["eventsPerSecond", "/s"],
  ["rssMb", "MB"],
  ["heapMb", "MB"],
] as const;

console.log(`${cpus()[0]?.model}, ${cpus().length} processors, Node ${process.versions.node}`);
execFileSync("npm", ["run", "--silent", "build"], { stdio: "inherit" });
const { port, stop } = await startServer();
try {
  console.log(`${pods} pods, ${events} changes, medians of ${rounds} rounds`);
  const all: Record<Which, Figures[]> = { "client-node": [], wherry: [] };
  for (let round = 0; round < rounds; round++)
    for (const which of ["client-node", "wherry"] as const) all[which].push(measure(which));
  const of = (which: Which, figure: keyof Figures): number =>
    median(all[which].map((one) => one[figure]));
  const ratio = (figure: keyof Figures): number => of("wherry", figure) / of("client-node", figure);
  for (const [figure, unit] of figures)
    console.log(
      `  ${figure.padEnd(16)} client-node ${of("client-node", figure).toFixed(0).padStart(8)} ${unit}   wherry ${of("wherry", figure).toFixed(0).padStart(8)} ${unit}   ${ratio(figure).toFixed(2)} ×`,
    );
  verdict("import", ratio("importMs"), 0.3);
  verdict("informer: 10,000 pods synced", ratio("syncMs"), 1);
  verdict("informer: time per event", 1 / ratio("eventsPerSecond"), 1);
  verdict("informer: resident memory", ratio("rssMb"), 1);
  verdict("informer: heap in MB of 60", of("wherry", "heapMb") / 60, 1);
} finally {
  stop();
}

function measure(which: Which): Figures {
  const args = ["--expose-gc", subject, which, String(port), String(pods), String(events)];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" })) as Figures;
}

async function startServer(): Promise<{ readonly port: number; stop(): void }> {
  const outfile = join("node_modules", ".cache", "wherry", "bench", "client-server.mjs");
  await build({
    entryPoints: ["bench/client/client-server.ts"],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
    logLevel: "warning",
  });
  const child = spawn(process.execPath, [outfile, String(pods), String(events)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const said = await new Promise<string>((resolve, reject) => {
    child.stdout.once("data", (chunk) => resolve(String(chunk)));
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
  });
  return { port: Number(/port (\d+)/.exec(said)?.[1]), stop: () => void child.kill() };
}
