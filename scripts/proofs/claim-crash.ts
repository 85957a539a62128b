// Kills the agent of a node at random points while pods with claims of devices come and go:
// npm run claim-crash -- [--kills N] [--pods N] [--seed N]
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Binding } from "../../src/api/core/v1/pod/binding.ts";
import { Pod } from "../../src/api/core/v1/pod/pod.ts";
import { ResourceClaim } from "../../src/api/resource/v1/resource-claim.ts";
import { SeededRandom } from "../../src/base/random.ts";
import { ignoreNotFound } from "../../src/client/ignore-not-found.ts";
import { isRunning } from "../../src/platform/process-identity.ts";
import { CrashDriver } from "./claim-crash/crash-driver.ts";
import { below } from "./engine-crash-pod.ts";
import { CrashCluster, crashImage } from "./node-crash/crash-cluster.ts";

const { values } = parseArgs({
  options: { kills: { type: "string" }, pods: { type: "string" }, seed: { type: "string" } },
});
const kills = Number(values.kills ?? 100);
const pods = Number(values.pods ?? 4);
const seed = Number(values.seed ?? Date.now() % 1e6);
const random = new SeededRandom(seed);
const namespace = "default";
const began = performance.now();
const seconds = (): string => `${((performance.now() - began) / 1000).toFixed(0)} s`;
console.log(`seed ${seed}, ${pods} claims at a time, ${kills} kills`);
const cluster = new CrashCluster();
const short = mkdtempSync(join(tmpdir(), "wherry-claims-"));
try {
  await cluster.start();
  await prove();
} catch (error) {
  console.error(error);
  console.error(`seed ${seed}; logs are in ${cluster.keepLogs()}`);
  process.exitCode = 1;
} finally {
  await cluster.remove();
  rmSync(short, { recursive: true, force: true });
  process.exit();
}

async function prove(): Promise<void> {
  // The paths of sockets must be short.
  const link = join(short, "k");
  symlinkSync(join(cluster.box, "root", "var/lib/kubelet"), link);
  mkdirSync(join(link, "plugins"), { recursive: true });
  const driver = new CrashDriver("dra.example.com", random);
  await driver.serve(link);
  const over = new AbortController();
  let next = 0;
  let finished = 0;
  const live = async (): Promise<void> => {
    while (!over.signal.aborted) {
      await liveClaim(`c-${next++}`, driver);
      finished++;
    }
  };
  const failure = Promise.all(Array.from({ length: pods }, live)).then(() => undefined);
  failure.catch(() => over.abort());
  for (let kill = 1; kill <= kills && !over.signal.aborted; kill++) {
    const agent = await cluster.agent();
    await wait(below(3, random) === 0 ? below(1500, random) : 1000 + below(4000, random));
    if (isRunning(agent)) process.kill(agent.pid, "SIGKILL");
    if (driver.problems.length > 0) break;
    if (kill % 10 === 0) console.log(`${seconds()}: ${kill} kills, ${finished} claims`);
  }
  over.abort();
  await failure;
  await until("all claims are unprepared", () => driver.prepared.size === 0);
  await until("the checkpoint is empty", () =>
    readFileSync(join(link, "dra_manager_state"), "utf8").includes('\\"ClaimInfoStateList\\":null'),
  );
  if (driver.problems.length > 0) throw new Error(driver.problems.join("\n"));
  const { prepares, unprepares, interrupted } = driver;
  console.log(
    `${kills} kills in ${seconds()}: ${finished} claims, ${prepares} prepared, ${unprepares} unprepared, ${interrupted} calls interrupted`,
  );
  await driver.close();
  await cluster.delete();
}

/** Takes a claim, and one or two pods that use it, through their lives. */
async function liveClaim(name: string, driver: CrashDriver): Promise<void> {
  const { client } = cluster.connection;
  const isShared = below(3, random) === 0;
  const names = isShared ? [`${name}-a`, `${name}-b`] : [`${name}-a`];
  driver.begin(name, isShared);
  const requests = [{ name: "one", exactly: { deviceClassName: "example" } }];
  const key = { name, namespace };
  await client.create(ResourceClaim, { metadata: key, spec: { devices: { requests } } } as never);
  const created = await Promise.all(names.map((pod) => createPod(pod, name)));
  const results = [{ request: "one", driver: driver.name, pool: "pool", device: name }];
  const reservedFor = created.map(({ metadata }) => ({
    ...{ resource: "pods", name: metadata.name, uid: metadata.uid },
  }));
  const merge = { status: { allocation: { devices: { results } }, reservedFor } } as never;
  await client.patch(ResourceClaim, key, { merge }, { subresource: "status" });
  await Promise.all(names.map((pod) => livePod(pod, name, driver)));
  await until(`${name} is unprepared`, () => !driver.prepared.has(name));
  if (driver.problems.length > 0) throw new Error(driver.problems.join("\n"));
  await client.delete(ResourceClaim, key);
}

function createPod(name: string, claim: string): Promise<Pod> {
  return cluster.connection.client.create(Pod, {
    metadata: { name, namespace },
    spec: {
      schedulerName: "nobody",
      containers: [
        {
          ...{ name: "c", image: crashImage, resources: { claims: [{ name: "mine" }] } },
          // The last argument is what the driver looks for.
          command: ["sh", "-c", "trap 'exit 0' TERM; sleep 1000 & wait", "sh", claim],
        },
      ],
      resourceClaims: [{ name: "mine", resourceClaimName: claim }],
    },
  } as never);
}

async function livePod(name: string, claim: string, driver: CrashDriver): Promise<void> {
  const { client } = cluster.connection;
  const key = { name, namespace };
  const find = () => ignoreNotFound(client.get(Pod, key));
  const target = { kind: "Node", name: "node-1" };
  await client.subresource(Pod, key, "binding").create(Binding, { metadata: key, target } as never);
  // Some are deleted while they start.
  if (below(3, random) === 0) await wait(below(3000, random));
  else {
    await until(`${name} runs`, async () => (await find())?.status.phase === "Running");
    if (!driver.prepared.has(claim)) throw new Error(`${name} runs without its claim`);
    await wait(below(3000, random));
  }
  const gracePeriodSeconds = [1, 5][below(2, random)];
  await client.delete(Pod, key, { gracePeriodSeconds });
  await until(`${name} is gone`, async () => !(await find()));
}

async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 180_000; Date.now() < end; await wait(200))
    if (await isSo()) return;
  throw new Error(`it did not happen that ${what}`);
}
