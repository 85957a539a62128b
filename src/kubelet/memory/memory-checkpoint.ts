import {
  goChecksum,
  goMap,
  goPointer,
  goScalar,
  goSlice,
  goString,
  goStruct,
} from "../../base/go-dump.ts";
import { goJson } from "../../schema/json/go-json.ts";
import { jsonValue, parseJson } from "../../schema/json/strict-json.ts";
import { quote } from "../../schema/values/quote.ts";
import { MemoryAssignments } from "./memory-assignments.ts";
import type { MemoryTable } from "./memory-state.ts";

/** Encodes assignments as upstream's kubelets do, which can continue with them. */
export function encodeMemoryCheckpoint(policy: string, assignments: MemoryAssignments): string {
  const { machine, pods } = assignments;
  const machineState: StoredMemory["machineState"] = Object.fromEntries(
    [...machine].sort(byName).map(([id, { assignments: count, tables, group }]) => [
      String(id),
      {
        numberOfAssignments: count,
        memoryMap: Object.fromEntries(Object.entries(tables).sort(byName).map(inOrder)),
        cells: group,
      },
    ]),
  );
  const entries: StoredMemory["entries"] = Object.fromEntries(
    [...pods]
      .sort(byName)
      .map(([podUid, containers]) => [
        podUid,
        Object.fromEntries(
          [...containers]
            .sort(byName)
            .map(([name, blocks]) => [
              name,
              blocks.map(({ nodes, type, bytes }) => ({ numaAffinity: nodes, type, size: bytes })),
            ]),
        ),
      ]),
  );
  const stored: StoredMemory = { policyName: policy, machineState, entries };
  const { entries: _, ...withoutEntries } = stored;
  return goJson({ ...(pods.size > 0 ? stored : withoutEntries), checksum: checksumOf(stored) });
}

/** Decodes the assignments of a policy. Throws if they are damaged, or those of another policy. */
export function decodeMemoryCheckpoint(text: string, policy: string): MemoryAssignments {
  const { stored, checksum } = parseStored(text);
  if (checksum !== 0 && checksumOf(stored) !== checksum) throw new Error("checkpoint is corrupted");
  if (stored.policyName !== policy)
    throw new Error(
      `[memorymanager] configured policy ${quote(policy)} differs from state checkpoint policy ${quote(stored.policyName)}`,
    );
  const assignments = new MemoryAssignments();
  assignments.setMachine(
    new Map(
      Object.entries(stored.machineState).map(([id, node]) => [
        Number(id),
        {
          assignments: node.numberOfAssignments,
          tables: node.memoryMap,
          group: node.cells ?? [],
        },
      ]),
    ),
  );
  for (const [podUid, containers] of Object.entries(stored.entries))
    for (const [name, blocks] of Object.entries(containers))
      assignments.set(
        podUid,
        name,
        (blocks ?? []).map(({ numaAffinity, type, size }) => ({
          ...{ nodes: numaAffinity ?? [], type, bytes: size },
        })),
      );
  return assignments;
}

interface StoredMemory {
  readonly policyName: string;
  readonly machineState: Readonly<Record<string, StoredNode>>;
  readonly entries: Readonly<Record<string, Readonly<Record<string, readonly StoredBlock[]>>>>;
}

interface StoredNode {
  readonly numberOfAssignments: number;
  readonly memoryMap: Readonly<Record<string, MemoryTable>>;
  readonly cells: readonly number[];
}

interface StoredBlock {
  readonly numaAffinity: readonly number[];
  readonly type: string;
  readonly size: number;
}

function parseStored(text: string): { readonly stored: StoredMemory; readonly checksum: number } {
  const value = jsonValue(parseJson(text)) as Partial<StoredMemory & { checksum: number }> | null;
  const { policyName = "", machineState, entries, checksum = 0 } = value ?? {};
  const stored = { policyName, machineState: machineState ?? {}, entries: entries ?? {} };
  const blocks = Object.values(stored.entries).flatMap((pod) => Object.values(pod ?? {}).flat());
  const tables = Object.values(stored.machineState).flatMap((node) =>
    Object.values(node?.memoryMap ?? {}),
  );
  const isCount = (one: unknown): boolean => Number.isSafeInteger(one);
  const isValid =
    typeof policyName === "string" &&
    blocks.every((one) => typeof one?.type === "string" && isCount(one.size)) &&
    blocks.every((one) => (one?.numaAffinity ?? []).every(isCount)) &&
    Object.values(stored.machineState).every((node) => isCount(node?.numberOfAssignments)) &&
    tables.every((table) => Object.values(table ?? {}).every(isCount));
  if (!isValid) throw new Error("checkpoint is corrupted");
  return { stored, checksum };
}

/** Go writes the members of a map in the order of their names. */
const byName = (
  [a]: readonly [string | number, unknown],
  [b]: readonly [string | number, unknown],
) => (String(a) < String(b) ? -1 : 1);

const inOrder = ([type, table]: readonly [string, MemoryTable]): readonly [string, MemoryTable] => {
  const { total, systemReserved, allocatable, reserved, free } = table;
  return [type, { total, systemReserved, allocatable, reserved, free }];
};

const uint64 = goScalar<number>("uint64");
const nodes = goSlice(goScalar<number>("int"));
const Table = goStruct("state.MemoryTable", {
  TotalMemSize: uint64,
  SystemReserved: uint64,
  Allocatable: uint64,
  Reserved: uint64,
  Free: uint64,
});
const Node = goStruct("state.NUMANodeState", {
  NumberOfAssignments: goScalar<number>("int"),
  MemoryMap: goMap(goPointer(Table), "map[v1.ResourceName]*state.MemoryTable"),
  Cells: nodes,
});
const Block = goStruct("state.Block", {
  NUMAAffinity: nodes,
  Type: goScalar<string>("v1.ResourceName"),
  Size: uint64,
});
const Checkpoint = goPointer(
  goStruct("state.MemoryManagerCheckpoint", {
    PolicyName: goString,
    MachineState: goMap(goPointer(Node), "state.NUMANodeMap", "numbers"),
    Entries: goMap(
      goMap(goSlice(Block), "map[string][]state.Block"),
      "state.ContainerMemoryAssignments",
    ),
    Checksum: goScalar<number>("checksum.Checksum"),
  }),
);

function checksumOf({ policyName, machineState, entries }: StoredMemory): number {
  const tableOf = (table: MemoryTable) => ({
    TotalMemSize: table.total,
    SystemReserved: table.systemReserved,
    Allocatable: table.allocatable,
    Reserved: table.reserved,
    Free: table.free,
  });
  const blockOf = ({ numaAffinity, type, size }: StoredBlock) => ({
    ...{ NUMAAffinity: numaAffinity ?? null, Type: type, Size: size },
  });
  return goChecksum(Checkpoint, {
    PolicyName: policyName,
    MachineState: mapped(machineState, ({ numberOfAssignments, memoryMap, cells }) => ({
      NumberOfAssignments: numberOfAssignments,
      MemoryMap: mapped(memoryMap, tableOf),
      Cells: cells ?? null,
    })),
    Entries: mapped(entries, (pod) => mapped(pod, (blocks) => (blocks ?? []).map(blockOf))),
    Checksum: 0,
  });
}

const mapped = <V, W>(
  map: Readonly<Record<string, V>>,
  change: (value: V) => W,
): Readonly<Record<string, W>> =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));
