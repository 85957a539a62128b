// Kills the agent of a node, or the server, at random points while pods come and go:
// npm run node-crash -- [--kills N] [--pods N] [--seed N] [--what agent|server|both]
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Random, SeededRandom } from "../../src/base/random.ts";
import { isRunning, type ProcessIdentity } from "../../src/platform/process-identity.ts";
import { below } from "./engine-crash-pod.ts";
import { ChangingSecret } from "./node-crash/changing-secret.ts";
import { CrashCluster } from "./node-crash/crash-cluster.ts";
import { keeper, randomPod } from "./node-crash/crash-pods.ts";
import {
  createPod,
  deletePod,
  isReady,
  livePod,
  logLines,
  type NodeCrashTally,
  until,
} from "./node-crash/live-pod.ts";
import { boxLeftovers, machineLeftovers, machineOf } from "./node-crash/node-leftovers.ts";
import { PodHistory } from "./node-crash/pod-history.ts";

const { values } = parseArgs({
  options: {
    ...{ kills: { type: "string" }, pods: { type: "string" }, seed: { type: "string" } },
    what: { type: "string" },
  },
});
const kills = Number(values.kills ?? 500);
const pods = Number(values.pods ?? 8);
const seed = Number(values.seed ?? Date.now() % 1e6);
const what = values.what ?? "agent";
if (!["agent", "server", "both"].includes(what)) throw new Error("--what is agent, server or both");

const random = new SeededRandom(seed);
const began = performance.now();
const seconds = (): string => `${((performance.now() - began) / 1000).toFixed(0)} s`;
console.log(`seed ${seed}, ${pods} pods at a time, ${kills} kills of ${what}`);
const cluster = new CrashCluster();
try {
  await cluster.start();
  await prove();
} catch (error) {
  console.error(error);
  console.error(`seed ${seed}; logs are in ${cluster.keepLogs()}`);
  process.exitCode = 1;
} finally {
  await cluster.remove();
  // After a failure, others still wait for their pods.
  process.exit();
}

async function prove(): Promise<void> {
  const history = new PodHistory(cluster.connection);
  const tally: NodeCrashTally = { finished: 0, interrupted: 0 };
  const world = { cluster, history, random, tally };
  const secret = new ChangingSecret(cluster);
  await secret.change();
  const keepers = ["keeper-0", "keeper-1"].map(keeper);
  const uids = await Promise.all(keepers.map((pod) => createPod(pod, world)));
  const ready = await Promise.all(
    keepers.map(({ name }) => until(`${name} is ready`, history, name, isReady)),
  );
  const over = new AbortController();
  let next = 2;
  const live = async (): Promise<void> => {
    while (!over.signal.aborted) await livePod(randomPod(`pod-${next++}`, random), world);
  };
  const living = [
    ...Array.from({ length: pods }, live),
    secret.follow(
      keepers.map(({ name }) => name),
      over.signal,
    ),
  ];
  const failure = Promise.all(living).then(() => undefined);
  failure.catch(() => over.abort());
  for (let kill = 1; kill <= kills && !over.signal.aborted; kill++) {
    await killSome(random);
    if (history.problems.length > 0) break;
    if (kill % 10 === 0) console.log(`${seconds()}: ${kill} kills, ${tally.finished} pods`);
  }
  over.abort();
  await cluster.up();
  await failure;
  if (history.problems.length > 0) throw new Error(history.problems.join("\n"));
  for (const [i, { name }] of keepers.entries()) {
    const now = history.get(name)?.status.containerStatuses?.[0];
    const before = ready[i]?.status.containerStatuses?.[0];
    if (now?.containerID !== before?.containerID || now?.restartCount !== 0)
      throw new Error(`${name} was restarted: ${JSON.stringify(now)}`);
    const lines = logLines(cluster, { name, uid: uids[i] });
    if (lines === 0) throw new Error(`${name} has no log`);
  }
  for (const [i, pod] of keepers.entries())
    await deletePod(pod, { uid: uids[i] ?? "", grace: undefined }, world);
  history.close();
  console.log(
    `${kills} kills of ${what} in ${seconds()}: ${tally.finished} pods, ${tally.interrupted} starts interrupted and repeated, secrets at most ${(secret.longestMs / 1000).toFixed(1)} s old`,
  );
  await nothingLeft("in the box", () => boxLeftovers(cluster));
  const machine = await machineOf(cluster);
  await cluster.delete();
  await nothingLeft("on the machine", () => machineLeftovers(cluster.home, machine));
  console.log("nothing is left behind");
}

/** Kills what is to be killed, some time after it was started, and has it started again. */
async function killSome(random: Random): Promise<void> {
  const chosen = what === "both" ? ["agent", "server", "both"][below(3, random)] : what;
  const agent = await cluster.agent();
  // Some are killed while they start.
  await wait(below(3, random) === 0 ? below(1500, random) : 2000 + below(6000, random));
  if (chosen !== "server") kill(agent);
  if (chosen === "agent") return;
  kill(await cluster.server());
  await wait(below(3000, random));
  await cluster.up();
}

function kill(process: ProcessIdentity): void {
  if (isRunning(process)) globalThis.process.kill(process.pid, "SIGKILL");
}

/** Waits until nothing is left: garbage is collected once a minute. */
async function nothingLeft(where: string, find: () => Promise<readonly string[]>): Promise<void> {
  let left: readonly string[] = [];
  for (let tries = 0; tries < 200; tries++) {
    left = await find();
    if (left.length === 0) return console.log(`${seconds()}: nothing is left ${where}`);
    await wait(500);
  }
  throw new Error(`left behind ${where}:\n${left.join("\n")}`);
}
