import { expect, test } from "vitest";
import { cpuStacks, heapStacks, type SampledHeap } from "./v8-profiles.ts";

const recorded = { startedAt: 0, durationMs: 1000 };
const frame = (functionName: string, lineNumber = 0) => ({
  ...{ functionName, lineNumber, columnNumber: 0 },
  ...{ scriptId: "1", url: "a.js" },
});

test("cpuStacks: a sample lasts until the next one, and idle time is left out", () => {
  const node = (id: number, name: string, children: number[] = []) => ({
    ...{ id, children, hitCount: 0 },
    callFrame: frame(name, id),
  });
  const { samples } = cpuStacks(
    {
      nodes: [node(1, "(root)", [2, 4]), node(2, "a", [3]), node(3, "b"), node(4, "(idle)")],
      ...{ startTime: 0, endTime: 100, samples: [3, 2, 4, 3, 3] },
      timeDeltas: [9, 10, 20, 30, 40],
    },
    recorded,
  );
  const a = { name: "a", file: "a.js", line: 3 };
  expect(samples).toEqual([
    { stack: [{ name: "b", file: "a.js", line: 4 }, a], values: [3, 50_000] },
    { stack: [a], values: [1, 20_000] },
  ]);
});

test("heapStacks: counts the samples of each stack", () => {
  const node = (
    id: number,
    name: string,
    selfSize: number,
    children: SampledHeap["head"][] = [],
  ) => ({ id, selfSize, children, callFrame: frame(name) });
  const { samples } = heapStacks(
    {
      head: node(1, "(root)", 0, [node(2, "a", 100, [node(3, "b", 50)])]),
      samples: [2, 3, 2].map((nodeId) => ({ nodeId })),
    },
    recorded,
  );
  const a = { name: "a", file: "a.js", line: 1 };
  expect(samples).toEqual([
    { stack: [a], values: [2, 100] },
    { stack: [{ ...a, name: "b" }, a], values: [1, 50] },
  ]);
});
