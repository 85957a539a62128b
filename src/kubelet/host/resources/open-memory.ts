import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { errorMessage } from "../../../base/error-message.ts";
import type { Metrics } from "../../../base/metrics.ts";
import { addQuantities, formatQuantity, parseQuantity } from "../../../schema/values/quantity.ts";
import { quote } from "../../../schema/values/quote.ts";
import type { KubeletConfiguration } from "../../config/kubelet-configuration.ts";
import { evictionReserve } from "../../eviction/eviction-reserve.ts";
import { parseThresholds } from "../../eviction/parse-thresholds.ts";
import { bytesText } from "../../memory/bytes-text.ts";
import { checkMemory, MemoryAssignments } from "../../memory/memory-assignments.ts";
import { decodeMemoryCheckpoint, encodeMemoryCheckpoint } from "../../memory/memory-checkpoint.ts";
import { MemoryManager } from "../../memory/memory-manager.ts";
import { createMemoryMetrics } from "../../memory/memory-metrics.ts";
import { type MachineMemory, type MemoryBlock, unusedMemory } from "../../memory/memory-state.ts";
import { reservedMemory } from "../../memory/reserved-memory.ts";
import type { MachineTopology } from "../../topology/machine-topology.ts";
import { memoryBytes } from "../machine/machine-files.ts";
import { openStateFile, type StateFile } from "./state-file.ts";

export interface OpenMemoryOptions {
  readonly configuration: KubeletConfiguration;
  readonly topology: MachineTopology;
  /** The root directory of the kubelet. */
  readonly rootDir: string;
  readonly metrics: Metrics;
  readonly isActive: (podUid: string) => boolean;
}

/** The memory of the NUMA nodes of a machine. */
export interface NodesMemory {
  /** Gives memory to containers; undefined if they share all. */
  readonly manager: MemoryManager | undefined;
  /** The memory that containers can have. */
  readonly allocatable: readonly MemoryBlock[];
  /** The memory that containers have, by pod and name. */
  readonly allocated: MemoryAssignments["pods"];
}

/** Opens the memory of a machine, with what an earlier kubelet has assigned. Rejects if that is not possible now. */
export async function openMemory(options: OpenMemoryOptions): Promise<NodesMemory> {
  const { configuration, topology, rootDir, isActive } = options;
  const name = configuration.memoryManagerPolicy || "None";
  const metrics = createMemoryMetrics(options.metrics);
  const unused = name === "Static" ? unusedMemory(topology, await reserved(options)) : undefined;
  if (!unused && name !== "None") throw new Error(unknownPolicy(name));
  const file = await openStateFile(join(rootDir, "memory_manager_state"));
  const assignments = restored(name, file);
  try {
    if (unused) checkMemory(assignments, unused);
  } catch (error) {
    throw new Error(`start memory manager error: ${errorMessage(error)}`);
  }
  const save = (): Promise<void> => file.write(encodeMemoryCheckpoint(name, assignments));
  await save();
  return {
    manager: unused && new MemoryManager({ assignments, metrics, save, isActive }),
    allocatable: unused ? allocatableBlocks(unused) : [],
    allocated: assignments.pods,
  };
}

const unknownPolicy = (name: string): string =>
  name === "BestEffort"
    ? 'policy "BestEffort" is not available for platform "linux"'
    : `unknown policy: ${quote(name)}`;

async function reserved({ configuration, topology }: OpenMemoryOptions) {
  const { systemReserved = {}, kubeReserved = {}, evictionHard } = configuration;
  const capacity = bytesText(memoryBytes(await readFile("/proc/meminfo", "utf8"), "MemTotal"));
  const evicting = evictionReserve(parseThresholds({ evictionHard }), { memory: capacity });
  const kept: Record<string, string> = {};
  for (const amounts of [systemReserved, kubeReserved, evicting])
    for (const [type, amount] of Object.entries(amounts))
      kept[type] = formatQuantity(
        addQuantities(parseQuantity(kept[type] ?? "0"), parseQuantity(amount)),
      );
  return reservedMemory({
    nodes: topology.nodes.map(({ id }) => id),
    reserved: configuration.reservedMemory ?? [],
    kept,
  });
}

function restored(policy: string, { stored, path }: StateFile): MemoryAssignments {
  if (stored === undefined) return new MemoryAssignments();
  try {
    return decodeMemoryCheckpoint(stored, policy);
  } catch (error) {
    throw new Error(
      `start memory manager error: could not restore state from checkpoint: ${errorMessage(error)}, please drain this node and delete the memory manager checkpoint file ${quote(path)} before restarting Kubelet`,
    );
  }
}

const allocatableBlocks = (machine: MachineMemory): readonly MemoryBlock[] =>
  [...machine].flatMap(([id, { tables }]) =>
    Object.entries(tables)
      .filter(([, { allocatable }]) => allocatable > 0)
      .map(([type, { allocatable }]) => ({ nodes: [id], type, bytes: allocatable })),
  );
