import type { MachineTopology } from "../topology/machine-topology.ts";
import { bytesText } from "./bytes-text.ts";
import type { ReservedMemory } from "./reserved-memory.ts";

/** The amounts of one resource on a NUMA node, in bytes. */
export interface MemoryTable {
  readonly total: number;
  readonly systemReserved: number;
  readonly allocatable: number;
  /** What containers have. */
  readonly reserved: number;
  readonly free: number;
}

/** The memory of a NUMA node. */
export interface NodeMemory {
  /** How many blocks containers have on it. */
  readonly assignments: number;
  /** By resource: `memory`, and huge pages of each size. */
  readonly tables: Readonly<Record<string, MemoryTable>>;
  /** The nodes whose memory is allocated together with that of this one, and itself. */
  readonly group: readonly number[];
}

/** The memory of a machine, by NUMA node. */
export type MachineMemory = ReadonlyMap<number, NodeMemory>;

/** Memory that a container has on NUMA nodes. */
export interface MemoryBlock {
  readonly nodes: readonly number[];
  /** `memory`, or huge pages of a size. */
  readonly type: string;
  readonly bytes: number;
}

/** The memory of a machine of which containers have nothing. */
export function unusedMemory({ nodes }: MachineTopology, reserved: ReservedMemory): MachineMemory {
  return new Map(
    nodes.map(({ id, memoryBytes, hugePages }) => {
      const reservedOf = (type: string): number => reserved.get(id)?.get(type) ?? 0;
      const tables: Record<string, MemoryTable> = {};
      let inPages = 0;
      for (const { pageBytes, count } of hugePages) {
        const type = `hugepages-${bytesText(pageBytes)}`;
        tables[type] = unusedTable(pageBytes * count, reservedOf(type));
        inPages += pageBytes * count;
      }
      // Huge pages are set aside in the memory of the node.
      tables.memory = unusedTable(memoryBytes, reservedOf("memory"), inPages);
      return [id, { assignments: 0, tables, group: [id] }];
    }),
  );
}

function unusedTable(total: number, systemReserved: number, setAside = 0): MemoryTable {
  const allocatable = total - systemReserved - setAside;
  return { total, systemReserved, allocatable, reserved: 0, free: allocatable };
}

/** The machine after a container got a block. Nodes are emptied one after the other. */
export function withBlock(
  machine: MachineMemory,
  { nodes, type, bytes }: MemoryBlock,
): MachineMemory {
  let left = bytes;
  return changed(machine, nodes, (node) => {
    const table = node.tables[type];
    const taken = Math.min(left, Math.max(0, table?.free ?? 0));
    left -= taken;
    return {
      assignments: node.assignments + 1,
      group: nodes,
      tables: withReserved(node.tables, type, taken),
    };
  });
}

/** The machine after a container returned a block. */
export function withoutBlock(
  machine: MachineMemory,
  { nodes, type, bytes }: MemoryBlock,
): MachineMemory {
  let left = bytes;
  return changed(machine, nodes, (node, id) => {
    const given = Math.min(left, node.tables[type]?.reserved ?? 0);
    left -= given;
    const assignments = node.assignments - 1;
    return {
      assignments,
      group: assignments === 0 ? [id] : node.group,
      tables: withReserved(node.tables, type, -given),
    };
  });
}

function changed(
  machine: MachineMemory,
  ids: readonly number[],
  change: (node: NodeMemory, id: number) => NodeMemory,
): MachineMemory {
  const after = new Map(machine);
  for (const id of ids) {
    const node = after.get(id);
    if (node) after.set(id, change(node, id));
  }
  return after;
}

function withReserved(
  tables: NodeMemory["tables"],
  type: string,
  bytes: number,
): NodeMemory["tables"] {
  const table = tables[type];
  if (!table || bytes === 0) return tables;
  const { reserved, free } = table;
  return { ...tables, [type]: { ...table, reserved: reserved + bytes, free: free - bytes } };
}

/** An amount of all these nodes together. */
export const sumOf = (
  machine: MachineMemory,
  nodes: readonly number[],
  { type, of }: { readonly type: string; readonly of: "free" | "allocatable" | "reserved" },
): number => nodes.reduce((sum, id) => sum + (machine.get(id)?.tables[type]?.[of] ?? 0), 0);

/** Whether two lists have the same nodes. */
export const areSameNodes = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((node) => b.includes(node));
