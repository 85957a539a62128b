import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { reservedMemory } from "./reserved-memory.ts";

type Given = Omit<Parameters<typeof reservedMemory>[0], "nodes">;
const on = (numaNode: number, limits: Record<string, string>) => ({ numaNode, limits });

each<[given: Given, expected: object]>([
  [
    { reserved: [on(0, { memory: "1Gi" }), on(1, { memory: "24Mi" })], kept: { memory: "1048Mi" } },
    { 0: { memory: 2 ** 30 }, 1: { memory: 24 * 2 ** 20 } },
  ],
  [
    {
      reserved: [on(1, { memory: "1Gi", "hugepages-2Mi": "4Mi" })],
      kept: { cpu: "1", memory: "1024Mi", "hugepages-2Mi": "4Mi", "ephemeral-storage": "1Gi" },
    },
    { 0: {}, 1: { memory: 2 ** 30, "hugepages-2Mi": 2 ** 22 } },
  ],
])("reservedMemory: %j", (given, expected) => {
  const found = reservedMemory({ ...given, nodes: [0, 1] });
  expect(
    Object.fromEntries([...found].map(([id, amounts]) => [id, Object.fromEntries(amounts)])),
  ).toEqual(expected);
});

each<[given: Given, why: string]>([
  [
    { reserved: [on(2, { memory: "1Gi" })], kept: {} },
    "the reserved memory configuration references a NUMA node 2 that does not exist on this machine",
  ],
  [
    { reserved: [], kept: { memory: "100Mi" } },
    'the total amount "0" of type "memory" is not equal to the value "100Mi" determined by Node Allocatable feature',
  ],
  [
    { reserved: [on(0, { memory: "1Gi", "hugepages-2Mi": "4Mi" })], kept: { memory: "1Gi" } },
    'the total amount "4Mi" of type "hugepages-2Mi" is not equal to the value "0" determined by Node Allocatable feature',
  ],
  [{ reserved: [], kept: {} }, "[memorymanager] you should specify the system reserved memory"],
])("reservedMemory: rejects %j", (given, why) => {
  expect(() => reservedMemory({ ...given, nodes: [0, 1] })).toThrow(why);
});
