import { deepStrictEqual } from "node:assert/strict";
import { cpus } from "node:os";
import { ConfigMap } from "../../src/api/core/v1/config-map.ts";
import type { Cluster } from "../../src/testing/cluster.ts";
import { startCluster } from "../../src/testing/start-cluster.ts";
import { median } from "../race-verdict.ts";
import { callsPerSecond } from "./testing-calls.ts";

console.log(`node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? "?"}`);

const [first, firstMs] = await timed(() => startCluster());
await first.close();
console.log(`\nstartCluster(), the first in a process: ${firstMs.toFixed(1)} ms`);
const starts: number[] = [];
for (let i = 0; i < 200; i++) {
  const [cluster, ms] = await timed(() => startCluster());
  starts.push(ms);
  await cluster.close();
}
report("startCluster(), after the first", starts, 30);

const objects = 10_000;
const parent = await startCluster();
for (let i = 0; i < objects; i++)
  await parent.client.create(ConfigMap, { metadata: { name: `map-${i}` }, data: { i: `${i}` } });
const forks: number[] = [];
const firstWrites: number[] = [];
for (let i = 0; i < 200; i++) {
  const [fork, ms] = await timed(() => parent.fork());
  forks.push(ms);
  const metadata = { name: "one-more" };
  const [, writeMs] = await timed(() => fork.client.create(ConfigMap, { metadata }));
  firstWrites.push(writeMs);
  if (i === 0) deepStrictEqual([await count(fork), await count(parent)], [objects + 1, objects]);
  await fork.close();
}
report(`fork() with ${objects} objects`, forks, 1);
console.log(`  the first write in each: ${median(firstWrites).toFixed(2)} ms`);
await parent.close();

console.log("\ncalls in process, per second of processor time:");
for (let round = 0; round < 3; round++) {
  const cluster = await startCluster();
  const seen = await callsPerSecond(cluster.client);
  console.log(
    `  ${Object.entries(seen)
      .map(([name, many]) => `${name} ${many}`)
      .join(", ")}`,
  );
  await cluster.close();
}

async function timed<T>(run: () => T | Promise<T>): Promise<[T, number]> {
  const begun = performance.now();
  const result = await run();
  return [result, performance.now() - begun];
}

async function count({ client }: Cluster): Promise<number> {
  return (await client.list(ConfigMap, { namespace: "default" })).items.length;
}

function report(what: string, times: readonly number[], mostMs: number): void {
  const middle = median(times);
  const word = middle <= mostMs ? "ok" : "MISSED";
  const slowest = Math.max(...times).toFixed(2);
  console.log(
    `${what}: median ${middle.toFixed(2)} ms (bound ${mostMs} ms) ${word}; first ${times[0]?.toFixed(2)}, slowest ${slowest}`,
  );
  if (middle > mostMs) process.exitCode = 1;
}
