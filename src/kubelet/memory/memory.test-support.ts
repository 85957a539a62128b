import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { machineOf } from "../topology/machines.test-support.ts";
import { MemoryAssignments } from "./memory-assignments.ts";
import { type MachineMemory, type MemoryBlock, unusedMemory } from "./memory-state.ts";

export const gibibyte = 2 ** 30;

/** A machine with nodes of so many GiB each, of which one is reserved, and as many huge pages of 1 GiB. */
export const nodesWith = (nodes: number, gibibytes: number, pages = 0): MachineMemory =>
  unusedMemory(
    machineOf({
      cores: nodes,
      site: (core) => ({ node: core }),
      memoryBytes: (gibibytes + 1 + pages) * gibibyte,
      hugePages: pages > 0 ? [{ pageBytes: gibibyte, count: pages }] : [],
    }),
    new Map(Array.from({ length: nodes }, (_, id) => [id, new Map([["memory", gibibyte]])])),
  );

export function assignmentsOn(machine: MachineMemory): MemoryAssignments {
  const assignments = new MemoryAssignments();
  assignments.setMachine(machine);
  return assignments;
}

/**
 * A guaranteed pod whose containers request so many GiB, as `init=1 sidecar=2 app=1+3`, the latter with three GiB in
 * huge pages. The first word of a name says what the container is.
 */
export function guaranteedPod(uid: string, containers: string, more: object = {}): Pod {
  const all = containers.split(" ").map((text) => {
    const [name = "", amount = ""] = text.split("=");
    const [memory, pages] = amount.split("+");
    const amounts = {
      ...{ cpu: "500m", memory: `${memory}Gi` },
      ...(pages && { "hugepages-1Gi": `${pages}Gi` }),
    };
    return {
      ...{ name, resources: { requests: amounts, limits: amounts } },
      ...(name.startsWith("sidecar") && { restartPolicy: "Always" }),
    };
  });
  const isInit = ({ name }: { readonly name: string }): boolean => /^(init|sidecar)/.test(name);
  return {
    metadata: { uid, name: uid, namespace: "default" },
    spec: {
      initContainers: all.filter(isInit),
      containers: all.filter((one) => !isInit(one)),
      ...more,
    },
    status: {},
  } as unknown as Pod;
}

/** Blocks as `2@01 3@0:hugepages-1Gi`: two GiB on nodes 0 and 1, and three in huge pages on node 0. */
export const blocksText = (blocks: readonly MemoryBlock[] = []): string =>
  blocks
    .map(({ nodes, type, bytes }) => {
      const where = `${bytes / gibibyte}@${nodes.join("")}`;
      return type === "memory" ? where : `${where}:${type}`;
    })
    .join(" ");

/** What is free, as `3 1/2`: three GiB on node 0, and one on node 1, which has two assignments. */
export const freeText = (machine: MachineMemory, type = "memory"): string =>
  Array.from(machine.values(), ({ tables, assignments }) => {
    const free = (tables[type]?.free ?? 0) / gibibyte;
    return assignments === 0 ? `${free}` : `${free}/${assignments}`;
  }).join(" ");
