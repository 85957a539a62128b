import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { realClock } from "../src/platform/real-clock.ts";
import { type LmdbStore, openLmdbStore } from "../src/store/lmdb/lmdb-store.ts";
import { MemoryStore } from "../src/store/memory/memory-store.ts";
import type { Store } from "../src/store/store.ts";
import { type EtcdServer, grpcClient, http2Client, startEtcd } from "./store-etcd.ts";
import { measure, measureInTurn, type Rate, show } from "./store-measure.ts";

/** The data goes here, so that the file system is the one the project is on. */
const root = mkdtempSync(join(process.cwd(), "node_modules", ".bench-store-"));
const value = new Uint8Array(1024).map((_, n) => n * 31);
const keys = 10_000;
const writers = 32;
const wanted = 3;

const lmdbPath = join(root, "lmdb");
const etcd = await startEtcd(join(root, "etcd"));
try {
  describeMachine();
  const store = await openLmdbStore({ path: lmdbPath, clock: realClock });
  await benchWrites(store, etcd);
  await benchReads("lmdb", store);
  await benchCompaction(store);
  await benchOpening();
  await benchMemory();
} finally {
  await etcd?.stop();
  rmSync(root, { recursive: true, force: true });
}

function describeMachine(): void {
  const df = execFileSync("df", ["--output=fstype,source", root]).toString().trim();
  const [type, device] = df.split("\n").at(-1)?.split(/\s+/) ?? [];
  const model = cpus()[0]?.model ?? "unknown processor";
  const machine = `${availableParallelism()} × ${model}, Node ${process.version}`;
  console.log(`${machine}, ${type} on ${device}; values of ${value.length} bytes, ${keys} keys\n`);
}

/** All take turns, so that what else the machine does meets all. */
async function benchWrites(store: LmdbStore, server: EtcdServer | undefined): Promise<void> {
  const clients = server && {
    grpc: grpcClient(server.address),
    http2: http2Client(server.address),
  };
  let commits = 0;
  const put = async (n: number): Promise<void> => {
    await store.commit([{ type: "put", key: key(n), value }]);
    commits++;
  };
  const contenders: Record<string, (n: number) => Promise<unknown>> = {
    "lmdb: durable commits": put,
  };
  if (clients) {
    contenders["etcd by @grpc/grpc-js: puts"] = (n) => clients.grpc.put(key(n), value);
    contenders["etcd by node:http2: puts"] = (n) => clients.http2.put(key(n), value);
  }
  const many = await measureInTurn({ workers: writers, seconds: 0.8, rounds: 6 }, contenders);
  for (const [name, rate] of Object.entries(many)) line(`${name}, ${writers} writers`, rate);
  const one = await measureInTurn({ workers: 1, seconds: 0.5, rounds: 3 }, contenders);
  for (const [name, rate] of Object.entries(one)) line(`${name}, 1 writer`, rate);
  clients?.grpc.close();
  clients?.http2.close();
  // A new store is at revision 1.
  if ((await store.currentRevision()) !== commits + 1) throw new Error("commits are missing");
  compare(many);
}

function compare(rates: Readonly<Record<string, Rate>>): void {
  const [lmdb = 0, ...others] = Object.values(rates).map(({ perSecond }) => perSecond);
  if (others.length === 0) {
    console.log("\netcd is not installed (Debian: etcd-server): no ratio\n");
    return;
  }
  const ratio = lmdb / Math.max(...others);
  console.log(`\n${ratio.toFixed(1)} × etcd with ${writers} writers (wanted: ${wanted})\n`);
  if (ratio < wanted) process.exitCode = 1;
}

async function benchReads(name: string, store: Store): Promise<void> {
  line(`${name}: get`, await measure({ workers: 1, seconds: 1 }, (n) => store.get(key(n))));
  const list = () => store.list("/registry/pods/", { limit: 1000 });
  line(`${name}: list of 1000`, await measure({ workers: 1, seconds: 1 }, list));
}

async function benchCompaction(store: LmdbStore): Promise<void> {
  const revision = await store.currentRevision();
  const ms = await timed(() => store.compact(revision));
  console.log(`${`lmdb: compaction of ${revision} commits`.padEnd(42)} ${ms.toFixed(0)} ms`);
  await store.close();
}

async function benchOpening(): Promise<void> {
  let store: LmdbStore | undefined;
  const ms = await timed(async () => {
    store = await openLmdbStore({ path: lmdbPath, clock: realClock });
  });
  console.log(`${`lmdb: opening with ${keys} keys`.padEnd(42)} ${ms.toFixed(0)} ms`);
  await store?.close();
}

async function benchMemory(): Promise<void> {
  const store = new MemoryStore(realClock);
  const put = (n: number) => store.commit([{ type: "put", key: key(n), value }]);
  line(`memory: commits, ${writers} writers`, await measure({ workers: writers, seconds: 1 }, put));
  await benchReads("memory", store);
  const forks = 10_000;
  const ms = await timed(async () => {
    for (let n = 0; n < forks; n++) store.fork();
  });
  const each = (ms / forks) * 1000;
  console.log(`${`memory: fork with ${keys} keys`.padEnd(42)} ${each.toFixed(2)} µs`);
  await store.close();
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function key(n: number): string {
  return `/registry/pods/default/pod-${String(n % keys).padStart(6, "0")}`;
}

function line(what: string, rate: Rate): void {
  console.log(`${what.padEnd(42)} ${show(rate)}`);
}
