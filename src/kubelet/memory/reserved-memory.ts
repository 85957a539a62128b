import { isHugePageResource } from "../../api/core/v1/resource-name.ts";
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  quantityValue,
} from "../../schema/values/quantity.ts";
import { quote } from "../../schema/values/quote.ts";

type Amounts = Readonly<Record<string, string>>;

/** The bytes of each resource that containers do not get, by NUMA node. */
export type ReservedMemory = ReadonlyMap<number, ReadonlyMap<string, number>>;

export interface ReservedMemoryInput {
  /** The NUMA nodes of the machine. */
  readonly nodes: readonly number[];
  /** The setting `reservedMemory`. */
  readonly reserved: readonly {
    readonly numaNode: number;
    readonly limits?: Amounts | undefined;
  }[];
  /** What the node keeps free: for the system, for the kubelet, and by hard eviction thresholds. */
  readonly kept: Amounts;
}

/** Distributes reserved memory to NUMA nodes. Throws unless it is as much as the node keeps free. */
export function reservedMemory({ nodes, reserved, kept }: ReservedMemoryInput): ReservedMemory {
  const unknown = reserved.find(({ numaNode }) => !nodes.includes(numaNode));
  if (unknown)
    throw new Error(
      `the reserved memory configuration references a NUMA node ${unknown.numaNode} that does not exist on this machine`,
    );
  const totals = sums(reserved.map(({ limits = {} }) => limits));
  const keptMemory = Object.keys(kept).filter(
    (name) => name === "memory" || isHugePageResource(name),
  );
  for (const name of new Set([...Object.keys(totals), ...keptMemory].sort())) {
    const total = parseQuantity(totals[name] ?? "0");
    const needed = parseQuantity(kept[name] ?? "0");
    if (compareQuantities(total, needed) !== 0)
      throw new Error(
        `the total amount ${quote(formatQuantity(total))} of type ${quote(name)} is not equal to the value ${quote(formatQuantity(needed))} determined by Node Allocatable feature`,
      );
  }
  const byNode = new Map(nodes.map((id) => [id, new Map<string, number>()]));
  for (const { numaNode, limits = {} } of reserved)
    for (const [name, amount] of Object.entries(limits))
      byNode.get(numaNode)?.set(name, quantityValue(parseQuantity(amount)));
  const isAny = [...byNode.values()].some((amounts) => (amounts.get("memory") ?? 0) > 0);
  if (!isAny) throw new Error("[memorymanager] you should specify the system reserved memory");
  return byNode;
}

function sums(lists: readonly Amounts[]): Amounts {
  const all: Record<string, string> = {};
  for (const list of lists)
    for (const [name, amount] of Object.entries(list))
      all[name] = formatQuantity(
        addQuantities(parseQuantity(all[name] ?? "0"), parseQuantity(amount)),
      );
  return all;
}
