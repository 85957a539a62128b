import { ControllerRevision } from "../api/apps/v1/controller-revision.ts";
import { DaemonSet } from "../api/apps/v1/daemon-set.ts";
import { Deployment } from "../api/apps/v1/deployment.ts";
import { ReplicaSet } from "../api/apps/v1/replica-set.ts";
import { StatefulSet } from "../api/apps/v1/stateful-set.ts";
import { CronJob } from "../api/batch/v1/cron-job.ts";
import { Job } from "../api/batch/v1/job.ts";
import { Event } from "../api/core/v1/event/event.ts";
import { Pod } from "../api/core/v1/pod/pod.ts";
import { isPodActive, isPodReady } from "../api/core/v1/pod/pod-state.ts";
import { PersistentVolume } from "../api/core/v1/volume/persistent-volume.ts";
import { PersistentVolumeClaim } from "../api/core/v1/volume/persistent-volume-claim.ts";
import { StatusError } from "../api/meta/v1/status-error.ts";
import { SeededRandom } from "../base/random.ts";
import type { Client } from "../client/client.ts";
import { impersonationHeaders } from "../client/impersonated-user.ts";
import { type KubernetesObject, keyOf, type ResourceKind } from "../client/resource-kind.ts";
import { PodBinding } from "../client/subresource-kinds.ts";
import type { Transport } from "../client/transport.ts";
import { createManager } from "../controller-runtime/manager/manager.ts";
import type { Controller } from "../controller-runtime/reconcile/controller-definition.ts";
import { formatTime, timeFromMillis } from "../schema/values/time.ts";
import type { Cluster } from "../testing/cluster.ts";
import { startCluster } from "../testing/start-cluster.ts";
import { injectFaults } from "./convergence-faults.test-support.ts";
import { targetNode } from "./daemonset/daemon-pod.ts";

/** Chance of a seed, and what one does with it. */
export interface Chance {
  /** A whole number from `least` to `most`. */
  number(least: number, most: number): number;
  happens(chance: number): boolean;
  pick<T>(choices: readonly T[]): T;
}

/** A cluster that is to come to what is declared. */
export interface ConvergenceWorld extends Chance {
  readonly cluster: Cluster;
  /** No faults befall it. */
  readonly client: Client;
  /** Remembers an object that nobody has any business with: it must stay as it is, to its version. */
  leaveAlone(object: KubernetesObject): void;
}

/** Controllers, a random state to begin with, and how it must end. */
export interface ConvergenceCase {
  readonly name: string;
  /** A function where controllers have a memory, which a crash takes. */
  readonly controllers: readonly Controller[] | (() => readonly Controller[]);
  /** Makes a state; the result is what holds of this seed. */
  prepare(world: ConvergenceWorld): Promise<ConvergenceRun>;
}

export interface ConvergenceRun {
  /** Changes what is declared, or what is there, while faults befall the controllers. */
  disturb(): Promise<void>;
  /** Is told at the end of each change of a pod, a replica set or a job, in order; returns what is wrong with it. */
  changed(change: Change): string | undefined;
  /** Undoes what holds the end up: finalizers, for example. */
  release(): Promise<void>;
  /** Brings what is declared forward once faults are over, if that ends; resolves with whether there was anything to do. */
  work?(): Promise<boolean>;
  /** What is not as it was declared. */
  problems(): Promise<readonly string[]>;
}

export interface Change {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: KubernetesObject;
}

export interface ConvergenceFigures {
  /** Whether anything is wrong, in words. */
  readonly problems: readonly string[];
  readonly faults: number;
  readonly crashes: number;
  readonly podsCreated: number;
  readonly replicaSetsCreated: number;
  /** All objects at the end, so that two runs can be compared. */
  readonly end: string;
}

/** Runs a case from a seed: with faults, then without, then for an hour in which nothing may happen. */
export async function converge(
  { controllers, prepare }: ConvergenceCase,
  seed: number,
): Promise<ConvergenceFigures> {
  await using cluster = await startCluster({ clock: "virtual", seed, namespace: "default" });
  const chance = chanceOf(new SeededRandom(seed + 2 ** 42));
  const { client } = cluster;
  const untouchable: KubernetesObject[] = [];
  const world = {
    ...chance,
    cluster,
    client,
    leaveAlone: (object: KubernetesObject) => void untouchable.push(object),
  };
  const run = await prepare(world);
  const changes: Change[] = [];
  const watching = new AbortController();
  for (const kind of [Pod, ReplicaSet, Job] as const)
    void follow(cluster, { kind, signal: watching.signal }, (change) => void changes.push(change));
  await cluster.settled();
  const faults = injectFaults(cluster.faults, chance);
  let running = start(cluster, controllers);
  let crashes = 0;
  const pass = async (isCalm: boolean): Promise<boolean> => {
    // Whoever is about to be killed is, before another takes its place.
    await cluster.settled();
    if (faults.hasCrashed() || running.hasEnded()) {
      crashes++;
      running.stop();
      running = start(cluster, controllers);
    }
    const isBusy = await playKubelet(world, untouchable, isCalm);
    await cluster.settled();
    return isBusy;
  };
  const rounds = chance.number(10, 25);
  for (let round = 0; round < rounds; round++) {
    await cluster.advance(chance.number(1, chance.pick([50, 2000, 20_000])));
    if (chance.happens(0.3)) await run.disturb();
    await pass(false);
  }
  await run.release();
  faults.end();
  // Whoever failed most often tries again after a quarter of an hour.
  for (let quiet = 0, round = 0; quiet < 3 && round < 500; round++) {
    const isBusy = await pass(true);
    quiet = (await run.work?.()) || isBusy ? 0 : quiet + 1;
    await cluster.advance(quiet > 0 ? "10m" : "5s");
  }
  const before = await versions(client);
  const problems = [
    ...inOrder(changes)
      .map(run.changed)
      .filter((problem) => problem !== undefined),
    ...(await run.problems()),
    ...touched(before, untouchable),
  ];
  await cluster.advance("1h");
  problems.push(...changesSince(before, await versions(client)));
  const created = (kind: string): number =>
    changes.filter(({ type, object }) => type === "ADDED" && object.kind === kind).length;
  watching.abort();
  running.stop();
  await cluster.advance("1m");
  return {
    problems,
    faults: faults.count(),
    crashes,
    podsCreated: created("Pod"),
    replicaSetsCreated: created("ReplicaSet"),
    end: JSON.stringify([...before]),
  };
}

/** Sets the conditions and phase of a pod that runs. */
export async function makeReady(
  { client, clock }: Pick<Cluster, "client" | "clock">,
  pod: Pod,
): Promise<void> {
  const lastTransitionTime = formatTime(timeFromMillis(clock.now()));
  const ready = { type: "Ready", status: "True", lastTransitionTime } as const;
  const status = { phase: "Running", conditions: [ready] };
  await client.patch(Pod, keyOf(pod), { strategic: { status } }, { subresource: "status" });
}

export function chanceOf(random: SeededRandom): Chance {
  return {
    number: (least, most) => least + Math.floor(random.next() * (most - least + 1)),
    happens: (chance) => random.next() < chance,
    pick: (choices) => choices[Math.floor(random.next() * choices.length)] as never,
  };
}

interface RunningControllers {
  stop(): void;
  /** Whether they gave up, so that somebody has to start them again. */
  hasEnded(): boolean;
}

/** Runs controllers, each in the name of its account, through a transport that faults befall. */
function start(cluster: Cluster, given: ConvergenceCase["controllers"]): RunningControllers {
  const controllers = typeof given === "function" ? given() : given;
  const stop = new AbortController();
  const transport = cluster.faults.transport("controllers");
  const manager = createManager({
    ...cluster,
    transport,
    transportForAccount: (account) => inNameOf(transport, account),
    controllers,
  });
  let hasEnded = false;
  const ended = (): void => {
    hasEnded = true;
  };
  manager.run({ signal: stop.signal }).then(ended, ended);
  return { stop: () => stop.abort(), hasEnded: () => hasEnded };
}

function inNameOf(transport: Transport, account: string): Transport {
  const headers = impersonationHeaders({
    user: `system:serviceaccount:kube-system:${account}`,
    groups: ["system:serviceaccounts", "system:serviceaccounts:kube-system"],
  });
  return (request) => transport({ ...request, headers: { ...request.headers, ...headers } });
}

async function follow(
  { client }: Cluster,
  { kind, signal }: { readonly kind: ResourceKind<KubernetesObject>; readonly signal: AbortSignal },
  notify: (change: Change) => void,
): Promise<void> {
  let { resourceVersion = "" } = (await client.list(kind)).metadata;
  try {
    // A watch ends after a while, and is begun again where it was.
    while (!signal.aborted)
      for await (const { type, object } of client.watch(kind, { resourceVersion, signal })) {
        resourceVersion = object.metadata.resourceVersion ?? "";
        if (type !== "BOOKMARK") notify({ type, object: object as KubernetesObject });
      }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Binds pods, makes them ready, and ends those that are deleted: each by chance, or all. */
async function playKubelet(
  { cluster, client, happens, pick }: ConvergenceWorld,
  untouchable: readonly KubernetesObject[],
  isCalm: boolean,
): Promise<boolean> {
  const spared = new Set(untouchable.map(({ metadata }) => metadata.uid));
  let isBusy = false;
  const act = async (work: Promise<unknown>): Promise<void> => {
    isBusy = true;
    await work.catch((error: unknown) => {
      if (!StatusError.is(error, "NotFound", "Conflict")) throw error;
    });
  };
  for (const pod of (await client.list(Pod)).items) {
    if (spared.has(pod.metadata.uid) || (!isCalm && happens(0.5))) continue;
    const { deletionTimestamp, finalizers = [] } = pod.metadata;
    if (deletionTimestamp && finalizers.length === 0)
      await act(client.delete(Pod, keyOf(pod), { gracePeriodSeconds: 0 }));
    if (!isPodActive(pod)) continue;
    if (!pod.spec.nodeName) {
      const target = { kind: "Node", name: targetNode(pod) ?? pick(["n1", "n2", "n3"]) };
      const binding = client.subresource(Pod, keyOf(pod), "binding");
      await act(binding.create(PodBinding, { metadata: keyOf(pod), target } as never));
    } else if (!isPodReady(pod)) await act(makeReady(cluster, pod));
  }
  return isBusy;
}

const touched = (
  now: ReadonlyMap<string, string>,
  untouchable: readonly KubernetesObject[],
): readonly string[] =>
  untouchable
    .filter((one) => now.get(textOf(one)) !== one.metadata.resourceVersion)
    .map((one) => `${textOf(one)} is nobody's business and was touched`);

/** Watches tell of their own kind only: what came first is known by the versions. */
const inOrder = (changes: readonly Change[]): readonly Change[] =>
  changes.toSorted((a, b) => versionOf(a) - versionOf(b));

const versionOf = ({ object }: Change): number => Number(object.metadata.resourceVersion);

/** The versions of all objects that controllers may write. */
async function versions(client: Client): Promise<ReadonlyMap<string, string>> {
  const kinds: readonly ResourceKind<KubernetesObject>[] = [
    Deployment,
    ReplicaSet,
    DaemonSet,
    StatefulSet,
    ControllerRevision,
    CronJob,
    Job,
    Pod,
    PersistentVolume,
    PersistentVolumeClaim,
    Event,
  ];
  const lists = await Promise.all(kinds.map((kind) => client.list(kind)));
  return new Map(
    lists
      .flatMap(({ items }) => items)
      .map((one) => [textOf(one), one.metadata.resourceVersion ?? ""]),
  );
}

/** What was written meanwhile; that events are forgotten is nobody's doing. */
function changesSince(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly string[] {
  const written = [...after].filter(([text, version]) => before.get(text) !== version);
  const gone = [...before.keys()].filter((text) => !after.has(text) && !text.startsWith("Event "));
  return [...written.map(([text]) => text), ...gone].map((text) => `${text} changed in the quiet`);
}

const textOf = ({ kind, metadata }: KubernetesObject): string =>
  `${kind} ${metadata.namespace}/${metadata.name} ${metadata.uid}`;
