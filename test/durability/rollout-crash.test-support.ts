import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Deployment } from "../../src/api/apps/v1/deployment.ts";
import { ReplicaSet } from "../../src/api/apps/v1/replica-set.ts";
import { Pod } from "../../src/api/core/v1/pod/pod.ts";
import { SeededRandom } from "../../src/base/random.ts";
import type { Client } from "../../src/client/client.ts";
import { connect } from "../../src/kubeconfig/connect.ts";
import {
  newDirectory,
  type ServerProcess,
  startProcess,
} from "../support/server-process.test-support.ts";

export interface RolloutCrashOptions {
  /** How many rollouts are under way when the server is killed. */
  readonly rollouts: number;
  readonly seed: number;
  readonly onRound?: (round: number) => void;
}

const deployments = 3;
const replicas = 4;
const longestLifeMs = 1500;
const patienceMs = 60_000;

/**
 * Kills a server with its controllers in the middle of rollouts, again and again. After each restart all
 * must come to be as it was declared by the last change that was answered, and nothing must be left over.
 */
export async function crashRollouts(options: RolloutCrashOptions): Promise<void> {
  const random = new SeededRandom(options.seed);
  const directory = newDirectory();
  let server: ServerProcess | undefined;
  try {
    for (let round = 0; round <= options.rollouts; round++) {
      server = await startProcess(directory.data, { command: "server", flags: ["--nodes", "2"] });
      const { client, close } = await connect({
        path: join(directory.data, "admin.kubeconfig"),
      });
      try {
        if (round === 0) for (let i = 0; i < deployments; i++) await create(client, i);
        await converged(client, round);
        if (round === options.rollouts) break;
        await rollOut(client, round + 1);
        await delay(random.next() * longestLifeMs);
      } finally {
        await server.end("SIGKILL");
        await close();
      }
      options.onRound?.(round + 1);
    }
  } finally {
    await server?.end("SIGKILL");
    directory.remove();
  }
}

const nameOf = (i: number): string => `web-${i}`;
const template = (name: string, version: number) => ({
  metadata: { labels: { app: name }, annotations: { version: `${version}` } },
  spec: { containers: [{ name: "web", image: "nginx" }], terminationGracePeriodSeconds: 1 },
});

async function create(client: Client, i: number): Promise<void> {
  const name = nameOf(i);
  const spec = { replicas, selector: { matchLabels: { app: name } }, template: template(name, 0) };
  await client.create(Deployment, { metadata: { name, namespace: "default" }, spec });
}

/** Changes all templates; what is answered must not be lost. */
async function rollOut(client: Client, version: number): Promise<void> {
  for (let i = 0; i < deployments; i++)
    await client.patch(
      Deployment,
      { name: nameOf(i), namespace: "default" },
      { merge: { spec: { template: { metadata: { annotations: { version: `${version}` } } } } } },
    );
}

/** Resolves when all pods are of a version, and as many as there should be. */
async function converged(client: Client, version: number): Promise<void> {
  const end = Date.now() + patienceMs;
  for (;;) {
    const problem = await problemOf(client, version);
    if (problem === undefined) return;
    if (Date.now() > end) throw new Error(`round ${version}: ${problem}`);
    await delay(50);
  }
}

async function problemOf(client: Client, version: number): Promise<string | undefined> {
  const namespace = "default";
  const { items: pods } = await client.list(Pod, { namespace });
  const { items: sets } = await client.list(ReplicaSet, { namespace });
  for (let i = 0; i < deployments; i++) {
    const name = nameOf(i);
    const { spec, status, metadata } = await client.get(Deployment, { name, namespace });
    const declared = spec.template.metadata?.annotations?.version;
    if (declared !== `${version}`)
      throw new Error(`${name} was answered ${version}, is ${declared}`);
    const own = pods.filter((pod) => pod.metadata.labels?.app === name);
    const current = own.filter((pod) => pod.metadata.annotations?.version === declared);
    const state = `${name}: ${own.length} pods, ${current.length} of version ${declared}, status ${JSON.stringify(status)}`;
    if (own.length !== replicas || current.length !== replicas) return state;
    if (own.some((pod) => pod.status.phase !== "Running")) return state;
    if (status.observedGeneration !== metadata.generation) return state;
    if (status.updatedReplicas !== replicas || status.availableReplicas !== replicas) return state;
    const alive = sets.filter(
      (set) => set.metadata.labels?.app === name && set.spec.replicas !== 0,
    );
    if (alive.length !== 1) return `${name}: ${alive.length} replica sets have pods`;
    const versions = sets.filter((set) => set.metadata.labels?.app === name);
    const distinct = new Set(
      versions.map((set) => set.spec.template?.metadata?.annotations?.version),
    );
    if (distinct.size !== versions.length)
      throw new Error(`${name}: a template has two replica sets`);
  }
  return undefined;
}
