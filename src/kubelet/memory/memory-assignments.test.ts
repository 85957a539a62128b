import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { assignmentsOn, freeText, gibibyte, nodesWith } from "./memory.test-support.ts";
import { checkMemory } from "./memory-assignments.ts";
import { type MachineMemory, type MemoryBlock, withBlock } from "./memory-state.ts";

const block = (nodes: readonly number[], gibibytes: number, type = "memory"): MemoryBlock => ({
  ...{ nodes, type, bytes: gibibytes * gibibyte },
});
const two = nodesWith(2, 4);

each<[what: string, stored: MachineMemory, blocks: readonly MemoryBlock[], why: string]>([
  [
    "blocks without a machine",
    new Map(),
    [block([0], 1)],
    "[memorymanager] machine state can not be empty when it has memory assignments",
  ],
  [
    "a node that is gone",
    two,
    [block([2], 1)],
    "[memorymanager] (pod: p, container: c) the memory assignment uses the NUMA that does not exist",
  ],
  [
    "huge pages that are gone",
    two,
    [block([0], 1, "hugepages-1Gi")],
    "[memorymanager] (pod: p, container: c) the memory assignment uses memory resource that does not exist",
  ],
  ["another size", nodesWith(2, 8), [], different()],
  ["fewer nodes", nodesWith(1, 4), [], different()],
  ["other resources", nodesWith(2, 4, 1), [], different()],
  ["memory that no container has", withBlock(two, block([0], 1)), [], different()],
  ["memory that is not taken", two, [block([0], 1)], different()],
])("checkMemory: rejects %s", (_, stored, blocks, why) => {
  const assignments = assignmentsOn(stored);
  if (blocks.length > 0) assignments.set("p", "c", blocks);
  expect(() => checkMemory(assignments, two)).toThrow(why);
});

test("checkMemory: accepts memory of a group whichever of its nodes gave it", () => {
  const [first, second] = [block([0, 1], 5), block([0, 1], 2)];
  // The second block was given first, and returned.
  const stored = withBlock(two, first);
  const [a, b] = [stored.get(0), stored.get(1)];
  if (!a || !b) throw new Error("no node");
  const swapped = assignmentsOn(
    new Map([
      [0, b],
      [1, a],
    ]),
  );
  swapped.set("p", "c", [first]);
  checkMemory(swapped, two);
  const more = assignmentsOn(withBlock(stored, second));
  more.set("p", "c", [first, second]);
  checkMemory(more, two);
  more.releasePod("p");
  expect(freeText(more.machine)).toBe("4 4");
});

function different(): string {
  return "[memorymanager] the expected machine state is different from the real one";
}
