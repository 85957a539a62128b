import { quote } from "../../schema/values/quote.ts";
import { allCpusOf, type CpuSet, commonCpus, cpusWithout, formatCpuSet } from "./cpu-set.ts";

/** The CPUs of containers: those that some have for themselves, and the rest, which all others share. */
export class CpuAssignments {
  readonly #pods = new Map<string, Map<string, CpuSet>>();
  #shared: CpuSet = new Set();

  /** The CPUs that containers share. */
  get shared(): CpuSet {
    return this.#shared;
  }

  /** All CPUs that containers have for themselves. */
  get exclusive(): CpuSet {
    return allCpusOf(...[...this.#pods.values()].flatMap((pod) => [...pod.values()]));
  }

  get pods(): ReadonlyMap<string, ReadonlyMap<string, CpuSet>> {
    return this.#pods;
  }

  /** The CPUs that a container has for itself. */
  of(podUid: string, container: string): CpuSet | undefined {
    return this.#pods.get(podUid)?.get(container);
  }

  /** The CPUs that a container may use. */
  usableBy(podUid: string, container: string): CpuSet {
    return this.of(podUid, container) ?? this.#shared;
  }

  share(cpus: CpuSet): void {
    this.#shared = cpus;
  }

  /** Records CPUs of a container without taking them from the others. */
  restore(podUid: string, container: string, cpus: CpuSet): void {
    const pod = this.#pods.get(podUid) ?? new Map<string, CpuSet>();
    this.#pods.set(podUid, pod.set(container, cpus));
  }

  /** Gives CPUs to a container alone. */
  assign(podUid: string, container: string, cpus: CpuSet): void {
    this.restore(podUid, container, cpus);
    this.#shared = cpusWithout(this.#shared, cpus);
  }

  /** Returns the CPUs of a pod to the others. */
  release(podUid: string): CpuSet {
    const cpus = allCpusOf(...(this.#pods.get(podUid)?.values() ?? []));
    this.#pods.delete(podUid);
    this.#shared = allCpusOf(this.#shared, cpus);
    return cpus;
  }
}

export interface AssignmentCheck {
  readonly all: CpuSet;
  readonly reserved: CpuSet;
  /** Whether containers may not share the reserved CPUs. */
  readonly isStrict: boolean;
}

/**
 * Checks assignments of an earlier kubelet; those of none become the initial ones. Throws if they contradict each
 * other, the machine or the configuration.
 */
export function checkAssignments(assignments: CpuAssignments, check: AssignmentCheck): void {
  const { reserved, isStrict } = check;
  const usable = isStrict ? cpusWithout(check.all, reserved) : check.all;
  const { shared, pods } = assignments;
  if (shared.size === 0) {
    if (pods.size > 0) throw new Error("default cpuset cannot be empty");
    assignments.share(usable);
    return;
  }
  const both = commonCpus(reserved, shared);
  if (isStrict && both.size > 0)
    throw new Error(
      `some of strictly reserved cpus: ${quoted(both)} are present in defaultCpuSet: ${quoted(shared)}`,
    );
  if (!isStrict && both.size < reserved.size)
    throw new Error(
      `not all reserved cpus: ${quoted(reserved)} are present in defaultCpuSet: ${quoted(shared)}`,
    );
  for (const [podUid, containers] of pods)
    for (const [name, cpus] of containers)
      if (commonCpus(shared, cpus).size > 0)
        throw new Error(
          `pod: ${podUid}, container: ${name} cpuset: ${quoted(cpus)} overlaps with default cpuset ${quoted(shared)}`,
        );
  const known = allCpusOf(shared, assignments.exclusive);
  if (formatCpuSet(known) !== formatCpuSet(usable))
    throw new Error(
      `current set of available CPUs ${quoted(usable)} doesn't match with CPUs in state ${quoted(known)}`,
    );
}

const quoted = (cpus: CpuSet): string => quote(formatCpuSet(cpus));
