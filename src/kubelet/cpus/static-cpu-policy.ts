import { maskOf, type NumaMask, nodesOf } from "../topology/numa-mask.ts";
import { AllocationError } from "../topology/resource-provider.ts";
import type { CpuPolicyOptions } from "./cpu-policy-options.ts";
import { allCpusOf, type CpuSet, commonCpus, cpusWithout, formatCpuSet } from "./cpu-set.ts";
import { type CpuTopology, cpusIn, groupsOf, placesOf } from "./cpu-topology.ts";
import { spreadCpus } from "./spread-cpus.ts";
import { takeCpus } from "./take-cpus.ts";

/** How CPUs are chosen for containers that get them for themselves. */
export interface StaticCpuPolicy {
  readonly topology: CpuTopology;
  readonly options: CpuPolicyOptions;
  /** The CPUs that no container gets for itself. */
  readonly reserved: CpuSet;
  /** These, and the other CPUs of their cores. */
  readonly reservedCores: CpuSet;
}

export interface StaticCpuPolicyInput {
  readonly topology: CpuTopology;
  readonly options: CpuPolicyOptions;
  /** The CPUs to reserve; if empty, some are chosen. */
  readonly reservedCpus: CpuSet;
  /** How many CPUs to reserve. */
  readonly reservedCount: number;
}

/** Reserves the CPUs of a policy. Throws if the machine has fewer. */
export function staticCpuPolicy(input: StaticCpuPolicyInput): StaticCpuPolicy {
  const { topology, options, reservedCpus, reservedCount } = input;
  const all = new Set(topology.places.keys());
  const reserved = reservedCpus.size > 0 ? reservedCpus : chosenReserve(input, all);
  if (reserved.size !== reservedCount)
    throw new Error(
      `[cpumanager] unable to reserve the required amount of CPUs (size of ${formatCpuSet(reserved)} did not equal ${reservedCount})`,
    );
  const unknown = [...reserved].find((cpu) => !all.has(cpu));
  if (unknown !== undefined)
    throw new Error(
      `[cpumanager] unable to build the reserved physical CPUs from the reserved set: unknown CPU ID: ${unknown}`,
    );
  const cores = groupsOf(placesOf(topology.places, reserved), "core");
  return { topology, options, reserved, reservedCores: cpusIn(topology.places, "core", cores) };
}

function chosenReserve({ topology, options, reservedCount }: StaticCpuPolicyInput, all: CpuSet) {
  if (reservedCount > all.size) return new Set<number>();
  return choose({ topology, options }, all, reservedCount);
}

export interface CpuChoice {
  /** The CPUs that no container has for itself. */
  readonly shared: CpuSet;
  /** The CPUs that init containers of the pod have used. */
  readonly reusable: CpuSet;
  readonly count: number;
  /** The NUMA nodes that are preferred; undefined for any. */
  readonly affinity: NumaMask | undefined;
}

/** Chooses CPUs for a container. Throws if there are not enough. */
export function chooseCpus(policy: StaticCpuPolicy, choice: CpuChoice): CpuSet {
  const { shared, reusable, count, affinity } = choice;
  if (policy.options.has("full-pcpus-only")) checkWholeCores(policy, choice);
  const available = allCpusOf(cpusWithout(shared, policy.reserved), reusable);
  if (affinity === undefined) return choose(policy, available, count);
  const near = commonCpus(available, cpusNear(policy, affinity));
  const aligned = choose(policy, near, Math.min(count, near.size));
  const others = choose(policy, cpusWithout(available, aligned), count - aligned.size);
  return allCpusOf(aligned, others);
}

/** Throws unless a container can get all CPUs of its cores. */
function checkWholeCores(policy: StaticCpuPolicy, { shared, count }: CpuChoice): void {
  const perCore = policy.topology.sizeOf("core");
  if (count % perCore !== 0)
    throw new AllocationError(
      smtError,
      `SMT Alignment Error: requested ${count} cpus not multiple cpus per core = ${perCore}`,
    );
  // A core of which one CPU is reserved cannot be given away as a whole.
  const free = cpusWithout(shared, policy.reservedCores).size;
  if (count > free)
    throw new AllocationError(
      smtError,
      `SMT Alignment Error: not enough free physical CPUs: available physical CPUs = ${free}, requested CPUs = ${count}, CPUs per core = ${perCore}`,
    );
}

const smtError = "SMTAlignmentError";

/** The CPUs of NUMA nodes, or of the sockets that these are in. */
function cpusNear({ topology: { places }, options }: StaticCpuPolicy, affinity: NumaMask): CpuSet {
  const nodes = nodesOf(affinity);
  if (!options.has("align-by-socket")) return cpusIn(places, "node", nodes);
  const sockets = groupsOf(placesOf(places, cpusIn(places, "node", nodes)), "socket");
  return cpusIn(places, "socket", sockets);
}

function choose(
  { topology, options }: Pick<StaticCpuPolicy, "topology" | "options">,
  available: CpuSet,
  count: number,
): CpuSet {
  const spreadsCores = options.has("distribute-cpus-across-cores");
  const request = { topology, available, count, spreadsCores };
  if (options.has("distribute-cpus-across-numa"))
    return spreadCpus({
      ...request,
      groupSize: options.has("full-pcpus-only") ? topology.sizeOf("core") : 1,
    });
  return takeCpus({ ...request, alignsCaches: options.has("prefer-align-cpus-by-uncorecache") });
}

/** Whether CPUs have one cache, or are fewer than two. */
export const shareCache = ({ places }: CpuTopology, cpus: CpuSet): boolean =>
  groupsOf(placesOf(places, cpus), "uncoreCache").length <= 1;

/** The NUMA nodes of CPUs. */
export const nodesOfCpus = ({ places }: CpuTopology, cpus: CpuSet): NumaMask =>
  maskOf(groupsOf(placesOf(places, cpus), "node"));
