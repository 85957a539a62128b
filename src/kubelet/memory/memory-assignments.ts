import {
  areSameNodes,
  type MachineMemory,
  type MemoryBlock,
  sumOf,
  withBlock,
  withoutBlock,
} from "./memory-state.ts";

/** The memory of NUMA nodes that containers have, and what is left of the machine. */
export class MemoryAssignments {
  readonly #pods = new Map<string, Map<string, readonly MemoryBlock[]>>();
  #machine: MachineMemory = new Map();

  /** What is left; empty before it is known. */
  get machine(): MachineMemory {
    return this.#machine;
  }

  get pods(): ReadonlyMap<string, ReadonlyMap<string, readonly MemoryBlock[]>> {
    return this.#pods;
  }

  of(podUid: string, container: string): readonly MemoryBlock[] | undefined {
    return this.#pods.get(podUid)?.get(container);
  }

  setMachine(machine: MachineMemory): void {
    this.#machine = machine;
  }

  /** Records the blocks of a container without taking them from the machine. */
  set(podUid: string, container: string, blocks: readonly MemoryBlock[]): void {
    const pod = this.#pods.get(podUid) ?? new Map<string, readonly MemoryBlock[]>();
    this.#pods.set(podUid, pod.set(container, blocks));
  }

  /** Returns the memory of a container; resolves with whether it had some. */
  release(podUid: string, container: string): boolean {
    const pod = this.#pods.get(podUid);
    const blocks = pod?.get(container);
    if (!pod || !blocks) return false;
    pod.delete(container);
    if (pod.size === 0) this.#pods.delete(podUid);
    this.#machine = blocks.reduce(withoutBlock, this.#machine);
    return true;
  }

  releasePod(podUid: string): void {
    for (const container of [...(this.#pods.get(podUid)?.keys() ?? [])])
      this.release(podUid, container);
  }
}

/**
 * Checks the assignments of an earlier kubelet against a machine of which containers have nothing; those of none become
 * the initial ones. Throws if they contradict each other or the machine.
 */
export function checkMemory(assignments: MemoryAssignments, unused: MachineMemory): void {
  const { machine, pods } = assignments;
  if (machine.size === 0) {
    if (pods.size > 0)
      throw new Error(
        "[memorymanager] machine state can not be empty when it has memory assignments",
      );
    assignments.setMachine(unused);
    return;
  }
  let expected = unused;
  for (const [podUid, containers] of pods)
    for (const [container, blocks] of containers)
      for (const block of blocks) {
        checkBlock(block, expected, `(pod: ${podUid}, container: ${container})`);
        expected = withBlock(expected, block);
      }
  if (!areSameMachines(machine, expected))
    throw new Error("[memorymanager] the expected machine state is different from the real one");
}

function checkBlock({ nodes, type }: MemoryBlock, machine: MachineMemory, whose: string): void {
  for (const id of nodes) {
    const uses = `[memorymanager] ${whose} the memory assignment uses`;
    const node = machine.get(id);
    if (!node) throw new Error(`${uses} the NUMA that does not exist`);
    if (!node.tables[type]) throw new Error(`${uses} memory resource that does not exist`);
  }
}

/** Which node of a group gave the memory depends on the order of allocations: groups are compared as a whole. */
function areSameMachines(a: MachineMemory, b: MachineMemory): boolean {
  if (a.size !== b.size) return false;
  return [...a].every(([id, node]) => {
    const other = b.get(id);
    if (!other || node.assignments !== other.assignments) return false;
    if (!areSameNodes(node.group, other.group)) return false;
    const types = Object.entries(node.tables);
    if (types.length !== Object.keys(other.tables).length) return false;
    return types.every(([type, table]) => {
      const known = other.tables[type];
      const isSame = (of: "free" | "reserved"): boolean =>
        sumOf(a, node.group, { type, of }) === sumOf(b, node.group, { type, of });
      return (
        known?.total === table.total &&
        known.systemReserved === table.systemReserved &&
        known.allocatable === table.allocatable &&
        isSame("free") &&
        isSame("reserved")
      );
    });
  });
}
