import type { Container } from "../../api/core/v1/container/container.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { containersInOrder, endsBeforeOthers } from "../topology/containers-in-order.ts";
import type { ResourceProvider } from "../topology/resource-provider.ts";
import type { ResourceHints, TopologyHint } from "../topology/topology-hint.ts";
import type { CpuAssignments } from "./cpu-assignments.ts";
import { cpuHints } from "./cpu-hints.ts";
import type { CpuMetrics } from "./cpu-metrics.ts";
import { allCpusOf, type CpuSet, cpusWithout } from "./cpu-set.ts";
import { exclusiveCpus, exclusivePodCpus } from "./exclusive-cpus.ts";
import { chooseCpus, type StaticCpuPolicy } from "./static-cpu-policy.ts";

export interface CpuManagerOptions {
  readonly policy: StaticCpuPolicy;
  readonly assignments: CpuAssignments;
  readonly metrics: CpuMetrics;
  /** Stores the assignments, so that a later kubelet continues with them. */
  readonly save: () => Promise<void>;
  /** Whether a pod still runs: the CPUs of others are free. */
  readonly isActive: (podUid: string) => boolean;
  /** Called when the CPUs that containers share have changed. */
  readonly sharedChanged: () => void;
}

/** Gives CPUs to containers of guaranteed pods that request whole ones. */
export class CpuManager implements ResourceProvider {
  readonly #options: CpuManagerOptions;
  readonly #assignments: CpuAssignments;
  /** The CPUs that init containers of the pod that is being admitted have, and that its others can have, too. */
  #reusable: { readonly podUid: string; readonly cpus: CpuSet } = { podUid: "", cpus: none };

  constructor(options: CpuManagerOptions) {
    this.#options = options;
    this.#assignments = options.assignments;
    options.metrics.update(this.#assignments);
  }

  concerns(pod: Pod): boolean {
    return containersInOrder(pod).some((container) => exclusiveCpus(pod, container) > 0);
  }

  hints(pod: Pod, container: Container): ResourceHints {
    const count = exclusiveCpus(pod, container);
    if (count === 0) return new Map();
    this.#collect();
    const { uid = "" } = pod.metadata;
    const known = this.#assignments.of(uid, container.name);
    if (!known) return this.#freeHints(count, this.#reusableBy(uid));
    return known.size === count ? this.#knownHints(known) : impossible;
  }

  podHints(pod: Pod): ResourceHints {
    const count = exclusivePodCpus(pod);
    if (count === 0) return new Map();
    this.#collect();
    const { uid = "" } = pod.metadata;
    const known = this.#assignments.pods.get(uid) ?? new Map<string, CpuSet>();
    for (const container of containersInOrder(pod)) {
      const cpus = known.get(container.name);
      if (cpus && cpus.size !== exclusiveCpus(pod, container)) return impossible;
    }
    const all = allCpusOf(...known.values());
    if (all.size === count) return this.#knownHints(all);
    return this.#freeHints(count, allCpusOf(this.#reusableBy(uid), all));
  }

  async allocate(pod: Pod, container: Container, { affinity }: TopologyHint): Promise<void> {
    const count = exclusiveCpus(pod, container);
    if (count === 0) return;
    const { policy, metrics } = this.#options;
    const { uid = "" } = pod.metadata;
    const counted = metrics.requested();
    const known = this.#assignments.of(uid, container.name);
    if (known) {
      this.#reuse(pod, container, known);
      counted.kept();
      return;
    }
    try {
      this.#collect();
      const { shared } = this.#assignments;
      const reusable = this.#reusableBy(uid);
      const cpus = chooseCpus(policy, { shared, reusable, count, affinity });
      this.#assignments.assign(uid, container.name, cpus);
      this.#reuse(pod, container, cpus);
      counted.allocated(cpus);
    } catch (error) {
      counted.failed();
      throw error;
    }
    await this.#changed();
  }

  /** Returns the CPUs of a pod that has ended to the others. */
  async release(podUid: string): Promise<void> {
    if (!this.#assignments.pods.has(podUid)) return;
    this.#assignments.release(podUid);
    await this.#changed();
  }

  #knownHints(cpus: CpuSet): ResourceHints {
    const request = { available: cpus, reusable: none, count: cpus.size };
    return new Map([["cpu", cpuHints(this.#options.policy, request)]]);
  }

  #freeHints(count: number, reusable: CpuSet): ResourceHints {
    const { policy } = this.#options;
    const available = cpusWithout(this.#assignments.shared, policy.reserved);
    return new Map([["cpu", cpuHints(policy, { available, reusable, count })]]);
  }

  #reusableBy(podUid: string): CpuSet {
    return this.#reusable.podUid === podUid ? this.#reusable.cpus : none;
  }

  /** CPUs of init containers that end can be used again; those of other containers no longer. */
  #reuse(pod: Pod, container: Container, cpus: CpuSet): void {
    const { uid = "" } = pod.metadata;
    const before = this.#reusableBy(uid);
    const ends = endsBeforeOthers(pod, container);
    const after = ends ? allCpusOf(before, cpus) : cpusWithout(before, cpus);
    this.#reusable = { podUid: uid, cpus: after };
  }

  /** Frees the CPUs of pods that ended unnoticed. */
  #collect(): void {
    const ended = [...this.#assignments.pods.keys()].filter((uid) => !this.#options.isActive(uid));
    if (ended.length === 0) return;
    for (const uid of ended) this.#assignments.release(uid);
    this.#options.metrics.update(this.#assignments);
    this.#options.sharedChanged();
  }

  async #changed(): Promise<void> {
    this.#options.metrics.update(this.#assignments);
    this.#options.sharedChanged();
    await this.#options.save();
  }
}

const none: CpuSet = new Set();

/** The hints of a container that has other CPUs than it requests. */
const impossible: ResourceHints = new Map([["cpu", []]]);
