import type { Profiler, Runtime } from "node:inspector";
import type { Frame, StackProfile, StackSample } from "./pprof.ts";

/** What V8 recorded of the heap; Node's types leave out some of it. */
export interface SampledHeap {
  readonly head: SampledNode;
  readonly samples: readonly { readonly nodeId: number }[];
}

interface SampledNode {
  readonly id: number;
  readonly callFrame: Runtime.CallFrame;
  readonly selfSize: number;
  readonly children: readonly SampledNode[];
}

interface Recorded {
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
}

/** Microseconds between two samples of the processor. */
export const cpuPeriod = 10_000;
/** Bytes that are allocated between two samples of the heap. */
export const heapPeriod = 512 << 10;

/** The stacks in which the processor was, without the time in which it had nothing to do. */
export function cpuStacks(profile: Profiler.Profile, recorded: Recorded): StackProfile {
  const byId = new Map(profile.nodes.map((node) => [node.id, node]));
  const parents = new Map<number, number>();
  for (const { id, children = [] } of profile.nodes)
    for (const child of children) parents.set(child, id);
  const stackOf = (leaf: number): Frame[] => {
    const stack: Frame[] = [];
    for (let id: number | undefined = leaf; id !== undefined; id = parents.get(id)) {
      const node = byId.get(id);
      if (node && node.callFrame.functionName !== "(root)") stack.push(frameOf(node.callFrame));
    }
    return stack;
  };
  const measured = new Map<number, { count: number; micros: number }>();
  const { samples = [], timeDeltas = [] } = profile;
  for (const [i, id] of samples.entries()) {
    // A delta is the time before its sample; what follows the sample is the next one's.
    const micros = Math.max(timeDeltas[i + 1] ?? 0, 0);
    const { count, micros: before } = measured.get(id) ?? { count: 0, micros: 0 };
    measured.set(id, { count: count + 1, micros: before + micros });
  }
  return {
    ...recorded,
    types: [
      { type: "samples", unit: "count" },
      { type: "cpu", unit: "nanoseconds" },
    ],
    period: { type: "cpu", unit: "nanoseconds", value: cpuPeriod * 1000 },
    samples: [...measured]
      .filter(([id]) => byId.get(id)?.callFrame.functionName !== "(idle)")
      .map(([id, { count, micros }]) => ({ stack: stackOf(id), values: [count, micros * 1000] })),
  };
}

/** The stacks that allocated what is in the heap. */
export function heapStacks(profile: SampledHeap, recorded: Recorded): StackProfile {
  const samples: StackSample[] = [];
  const visit = (node: SampledNode, outer: readonly Frame[]): void => {
    const { functionName } = node.callFrame;
    const stack = functionName === "(root)" ? outer : [frameOf(node.callFrame), ...outer];
    if (node.selfSize > 0) {
      samples.push({ stack, values: [counts.get(node.id) ?? 0, node.selfSize] });
    }
    for (const child of node.children) visit(child, stack);
  };
  const counts = new Map<number, number>();
  for (const { nodeId } of profile.samples) counts.set(nodeId, (counts.get(nodeId) ?? 0) + 1);
  visit(profile.head, []);
  return {
    ...recorded,
    types: [
      { type: "inuse_objects", unit: "count" },
      { type: "inuse_space", unit: "bytes" },
    ],
    period: { type: "space", unit: "bytes", value: heapPeriod },
    samples,
  };
}

const frameOf = ({ functionName, url, lineNumber }: Runtime.CallFrame): Frame => ({
  name: functionName,
  file: url,
  line: lineNumber + 1,
});
