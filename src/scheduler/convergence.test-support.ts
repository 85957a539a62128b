import { Node } from "../api/core/v1/node/node.ts";
import { Pod } from "../api/core/v1/pod/pod.ts";
import { untoleratedTaint } from "../api/core/v1/scheduling/taint-toleration.ts";
import { StatusError } from "../api/meta/v1/status-error.ts";
import { PriorityClass } from "../api/scheduling/v1/priority-class.ts";
import { SeededRandom } from "../base/random.ts";
import { keyOf } from "../client/resource-kind.ts";
import { createManager } from "../controller-runtime/manager/manager.ts";
import type { Cluster } from "../testing/cluster.ts";
import type { Fault, FaultyCall } from "../testing/faults/fault.ts";
import { startCluster } from "../testing/start-cluster.ts";
import { podOf } from "./cluster.test-support.ts";
import { podAmounts } from "./framework/pod-resources.ts";
import { milliOf } from "./framework/resource.ts";
import { createScheduler } from "./scheduler.ts";

export interface SchedulerFigures {
  readonly problems: readonly string[];
  readonly faults: number;
  readonly crashes: number;
  readonly bound: number;
  readonly preempted: number;
  /** The node of each pod at the end. */
  readonly end: string;
}

/**
 * Starts from a random state, injects faults and changes until the scheduler is idle, and reports
 * violations.
 */
export async function convergeScheduler(seed: number): Promise<SchedulerFigures> {
  await using cluster = await startCluster({ clock: "virtual", seed, namespace: "default" });
  const random = new SeededRandom(seed + 2 ** 43);
  const number = (least: number, most: number): number =>
    least + Math.floor(random.next() * (most - least + 1));
  const happens = (chance: number): boolean => random.next() < chance;
  const world = new World(cluster, number, happens);
  await world.prepare();
  const watching = new AbortController();
  const history: Change[] = [];
  void follow(cluster, watching.signal, (change) => history.push(change));
  await cluster.settled();
  const faults = injected(cluster, random);
  let running = started(cluster);
  let crashes = 0;
  const pass = async (): Promise<void> => {
    await cluster.settled();
    if (!faults.hasCrashed() && !running.hasEnded()) return;
    crashes++;
    running.stop();
    running = started(cluster);
    await cluster.settled();
  };
  for (let round = number(8, 20); round > 0; round--) {
    await cluster.advance(number(1, 5000));
    if (happens(0.6)) await world.disturb();
    await world.playKubelet(0.5);
    await pass();
  }
  cluster.faults.clear();
  for (let round = 0; round < 60; round++) {
    await pass();
    await world.playKubelet(1);
    await cluster.advance("11s");
  }
  await pass();
  const problems = [...overcommitments(history, world.capacity), ...(await world.problems())];
  const before = await world.versions();
  await cluster.advance("1h");
  if ((await world.versions()) !== before) problems.push("it is not quiet");
  watching.abort();
  running.stop();
  await cluster.advance("1m");
  return {
    problems,
    faults: faults.count(),
    crashes,
    bound: history.filter(({ isBinding }) => isBinding).length,
    preempted: world.preempted,
    end: JSON.stringify(await world.placement()),
  };
}

class World {
  /** The capacity of each existing node, in thousandths of CPUs. */
  readonly capacity = new Map<string, number>();
  preempted = 0;
  readonly #cluster: Cluster;
  readonly #number: (least: number, most: number) => number;
  readonly #happens: (chance: number) => boolean;
  #made = 0;

  constructor(
    cluster: Cluster,
    number: (least: number, most: number) => number,
    happens: (chance: number) => boolean,
  ) {
    this.#cluster = cluster;
    this.#number = number;
    this.#happens = happens;
  }

  async prepare(): Promise<void> {
    for (const value of [1, 2, 3])
      await this.#cluster.client.create(PriorityClass, { metadata: { name: `p${value}` }, value });
    for (let i = this.#number(0, 4); i > 0; i--) await this.#addNode();
    for (let i = this.#number(0, 15); i > 0; i--) await this.#addPod();
  }

  async disturb(): Promise<void> {
    const { client } = this.#cluster;
    const pods = (await client.list(Pod, {})).items;
    const nodes = (await client.list(Node, {})).items;
    const pod = pods[this.#number(0, Math.max(0, pods.length - 1))];
    const node = nodes[this.#number(0, Math.max(0, nodes.length - 1))];
    switch (this.#number(0, 5)) {
      case 0:
        return this.#addNode();
      case 1:
        if (pod) await client.delete(Pod, keyOf(pod));
        return;
      case 2: {
        const taints = this.#happens(0.5) ? [{ key: "k", effect: "NoSchedule" }] : null;
        if (node) await client.patch(Node, keyOf(node), { merge: { spec: { taints } } } as never);
        return;
      }
      case 3:
        if (pod?.spec.schedulingGates)
          await client.patch(Pod, keyOf(pod), {
            merge: { spec: { schedulingGates: null } },
          } as never);
        return;
      default:
        return this.#addPod();
    }
  }

  /** Removes terminating pods, and completes some others. */
  async playKubelet(share: number): Promise<void> {
    const { client } = this.#cluster;
    for (const pod of (await client.list(Pod, {})).items) {
      if (!pod.metadata.deletionTimestamp || !this.#happens(share)) continue;
      if (pod.status.conditions?.some(({ reason }) => reason === "PreemptionByScheduler"))
        this.preempted++;
      await client.delete(Pod, keyOf(pod), { gracePeriodSeconds: 0 }).catch((error: unknown) => {
        if (!StatusError.is(error, "NotFound")) throw error;
      });
    }
  }

  /** Pending pods for which there is room, or would be after preemption. */
  async problems(): Promise<readonly string[]> {
    const { client } = this.#cluster;
    const pods = (await client.list(Pod, {})).items;
    const nodes = (await client.list(Node, {})).items;
    const problems: string[] = [];
    for (const pod of pods) {
      if (pod.spec.nodeName || pod.spec.schedulingGates) continue;
      const { name } = pod.metadata;
      if (pod.metadata.deletionTimestamp) problems.push(`${name} is still going`);
      const podEvents = pod.status.conditions?.find(({ type }) => type === "PodScheduled");
      if (podEvents?.reason !== "Unschedulable")
        problems.push(`${name} is not podEvents why it waits`);
      for (const node of nodes) {
        if (untoleratedTaint(node.spec.taints, pod.spec.tolerations)) continue;
        const there = pods.filter(({ spec }) => spec.nodeName === node.metadata.name);
        const stay = there.filter(({ spec }) => (spec.priority ?? 0) >= (pod.spec.priority ?? 0));
        const used = stay.reduce((sum, one) => sum + cpuOf(one), 0);
        if (used + cpuOf(pod) <= (this.capacity.get(node.metadata.name ?? "") ?? 0))
          problems.push(`${name} waits although ${node.metadata.name} has room`);
      }
    }
    return problems;
  }

  async versions(): Promise<string> {
    const { items } = await this.#cluster.client.list(Pod, {});
    return JSON.stringify(items.map(({ metadata }) => [metadata.uid, metadata.resourceVersion]));
  }

  async placement(): Promise<readonly unknown[]> {
    const { items } = await this.#cluster.client.list(Pod, {});
    return items.map(({ metadata, spec }) => [metadata.name, metadata.uid, spec.nodeName]);
  }

  async #addNode(): Promise<void> {
    const { client } = this.#cluster;
    const name = `n${this.#made++}`;
    const cpu = this.#number(1, 4);
    this.capacity.set(name, cpu * 1000);
    await client.create(Node, { metadata: { name } });
    const merge = { status: { allocatable: { cpu: `${cpu}`, memory: "8Gi", pods: "110" } } };
    await client.patch(Node, { name }, { merge } as never, { subresource: "status" });
    await client.patch(Node, { name }, { merge: { spec: { taints: null } } } as never);
  }

  async #addPod(): Promise<void> {
    const cpu = `${this.#number(1, 15) * 100}m`;
    const containers = [{ name: "c", image: "i", resources: { requests: { cpu } } }];
    const spec = {
      containers,
      ...(this.#happens(0.6) && { priorityClassName: `p${this.#number(1, 3)}` }),
      ...(this.#happens(0.2) && { schedulingGates: [{ name: "g" }] }),
      ...(this.#happens(0.3) && { tolerations: [{ operator: "Exists" }] }),
    };
    await this.#cluster.client.create(Pod, podOf(`pod${this.#made++}`, spec as never));
  }
}

interface Change {
  readonly type: string;
  readonly pod: Pod;
  readonly isBinding: boolean;
}

async function follow(
  { client }: Cluster,
  signal: AbortSignal,
  onChange: (change: Change) => void,
): Promise<void> {
  const { metadata, items } = await client.list(Pod, {});
  const bound = new Set(items.filter(({ spec }) => spec.nodeName).map((pod) => pod.metadata.uid));
  let { resourceVersion = "" } = metadata;
  try {
    while (!signal.aborted)
      for await (const { type, object } of client.watch(Pod, { resourceVersion, signal })) {
        resourceVersion = object.metadata.resourceVersion ?? "";
        if (type === "BOOKMARK") continue;
        const isBinding = Boolean(object.spec.nodeName) && !bound.has(object.metadata.uid);
        if (isBinding) bound.add(object.metadata.uid);
        onChange({ type, pod: object, isBinding });
      }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Bindings that exceed the capacity of a node. */
function overcommitments(
  history: readonly Change[],
  capacity: ReadonlyMap<string, number>,
): string[] {
  const problems: string[] = [];
  const there = new Map<string, Pod>();
  for (const { type, pod, isBinding } of history) {
    const { uid = "", name } = pod.metadata;
    if (type === "DELETED") there.delete(uid);
    else if (pod.spec.nodeName) there.set(uid, pod);
    if (!isBinding) continue;
    const node = pod.spec.nodeName ?? "";
    const used = [...there.values()]
      .filter(({ spec }) => spec.nodeName === node)
      .reduce((sum, one) => sum + cpuOf(one), 0);
    if (used > (capacity.get(node) ?? 0)) problems.push(`${name} was too much for ${node}`);
  }
  return problems;
}

const cpuOf = (pod: Pod): number => podAmounts(pod).get("cpu") ?? milliOf("0");

function started(cluster: Cluster): { stop(): void; hasEnded(): boolean } {
  const stop = new AbortController();
  const transport = cluster.faults.transport(component);
  const manager = createManager({ ...cluster, transport, runnables: [createScheduler()] });
  let hasEnded = false;
  const ended = (): void => {
    hasEnded = true;
  };
  manager.run({ signal: stop.signal }).then(ended, ended);
  return { stop: () => stop.abort(), hasEnded: () => hasEnded };
}

/** Not a name of the cluster's own components: those restart by themselves. */
const component = "the scheduler";

/** Fails and delays requests, drops their responses and kills the component, at random from the seed. */
function injected(
  { faults }: Cluster,
  random: SeededRandom,
): { hasCrashed(): boolean; count(): number } {
  const rates = [0, 0.05, 0.2, 0.4];
  const rate = rates[Math.floor(random.next() * rates.length)] ?? 0;
  let count = 0;
  let isCrashed = false;
  const likely =
    (share: number) =>
    (call: FaultyCall): boolean => {
      const isMet = call.component === component && random.next() < rate * share;
      if (isMet) count++;
      return isMet;
    };
  const add = (share: number, fault: Fault): void =>
    void faults.add({ calls: likely(share), fault });
  add(0.2, { type: "fail" });
  add(0.2, { type: "fail", error: new StatusError("InternalError", "broken") });
  add(0.3, { type: "lose-response" });
  for (const ms of [1, 300, 5000]) add(0.1, { type: "delay", ms });
  add(0.2, { type: "break", afterMs: 1 + Math.floor(random.next() * 20_000) });
  add(0.1, { type: "expire" });
  for (const when of ["before", "after"] as const)
    faults.add({
      calls: (call) => {
        const isMet = !isCrashed && likely(0.03)(call);
        isCrashed ||= isMet;
        return isMet;
      },
      fault: { type: "crash", when },
    });
  return {
    hasCrashed() {
      const was = isCrashed;
      isCrashed = false;
      return was;
    },
    count: () => count,
  };
}
