import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { type FlowRequest, QueueSet, type Queuing, type SeatedRequest } from "./queue-set.ts";
import { oneSeat, type WorkEstimate } from "./work-estimate.ts";

/** A set with a clock that the test moves, and the order in which its requests are dispatched. */
function openSet(queuing: Queuing, limit: number) {
  let now = 0;
  const dispatched: string[] = [];
  const happened: string[] = [];
  const ignore = (): void => {};
  const set = new QueueSet(() => now, {
    ...{ waiting: ignore, executing: ignore, queueLength: ignore, dispatched: ignore },
    demand: (seats) => happened.push(`demand ${seats}`),
    rejected: (_, reason) => happened.push(reason),
    notAccommodated: () => happened.push("no room"),
  });
  set.configure(queuing, limit);
  const start = (
    flow: string,
    { queue = 0, work = oneSeat }: { readonly queue?: number; readonly work?: WorkEstimate } = {},
  ): SeatedRequest | undefined => {
    const details = () => ({}) as ReturnType<FlowRequest["details"]>;
    const request = { schema: "s", distinguisher: flow, hand: [queue], work, details };
    return set.start(request, () => dispatched.push(flow));
  };
  return { set, start, dispatched, happened, wait: (seconds: number) => (now += seconds) };
}

const queues = (count: number, lengthLimit = 50): Queuing => ({
  type: "Queue",
  queues: count,
  lengthLimit,
});
const seats = (initialSeats: number): WorkEstimate => ({ ...oneSeat, initialSeats });

test("QueueSet: requests wait for seats, and a queue beyond its length rejects", () => {
  const { set, start, dispatched, happened } = openSet(queues(1, 1), 1);
  const first = start("a");
  expect([start("b") !== undefined, start("c")]).toEqual([true, undefined]);
  expect(dispatched).toEqual(["a"]);
  set.finish(first as SeatedRequest);
  expect(dispatched).toEqual(["a", "b"]);
  expect(happened).toEqual([
    "demand 1",
    "demand 1",
    "demand 2",
    "queue-full",
    "demand 1",
    "demand 1",
  ]);
});

test("QueueSet: without queues, a request beyond the limit is rejected; of an exempt level none is", () => {
  const reject = openSet({ type: "Reject" }, 1);
  expect([reject.start("a") !== undefined, reject.start("b")]).toEqual([true, undefined]);
  expect(reject.happened.at(-1)).toBe("concurrency-limit");
  const exempt = openSet({ type: "Exempt" }, 0);
  expect([exempt.start("a"), exempt.start("b")].every(Boolean)).toBe(true);
});

test("QueueSet: a flow with one request does not wait for all those of a greedy flow", () => {
  const { set, start, dispatched, wait } = openSet(queues(2), 1);
  const running = [start("greedy", { queue: 0 })];
  for (let i = 0; i < 5; i++) running.push(start("greedy", { queue: 0 }));
  wait(0.001);
  running.push(start("modest", { queue: 1 }));
  const finished = new Set<unknown>();
  while (finished.size < 3) {
    const next = running.find(
      (request) => request?.started !== undefined && !finished.has(request),
    );
    wait(0.01);
    set.finish(next as SeatedRequest);
    finished.add(next);
  }
  expect(dispatched.indexOf("modest")).toBeLessThanOrEqual(2);
});

test("QueueSet: two busy flows get the same work, whatever one of their requests takes", () => {
  const { set, start, wait } = openSet(queues(2), 1);
  const took: Record<string, number> = { short: 0, long: 0 };
  const waiting: SeatedRequest[] = [];
  const refill = (flow: string, queue: number): void => {
    const request = start(flow, { queue });
    if (request) waiting.push(request);
  };
  for (let i = 0; i < 3; i++) {
    refill("short", 0);
    refill("long", 1);
  }
  for (let i = 0; i < 300; i++) {
    const at = waiting.findIndex(({ started }) => started !== undefined);
    const [request] = waiting.splice(at, 1) as [SeatedRequest];
    const flow = request.distinguisher;
    const seconds = flow === "short" ? 0.01 : 0.03;
    took[flow] = (took[flow] ?? 0) + seconds;
    wait(seconds);
    set.finish(request);
    refill(flow, flow === "short" ? 0 : 1);
  }
  expect((took.long as number) / (took.short as number)).toBeGreaterThan(0.9);
  expect((took.long as number) / (took.short as number)).toBeLessThan(1.1);
});

each<[what: string, limit: number, wanted: number[], expected: string[]]>([
  ["a request waits until all its seats are free", 3, [2, 2, 1], ["0"]],
  ["one with more seats than there are runs alone", 2, [5, 1], ["0"]],
  ["one with more seats than there are waits for all others", 2, [1, 5], ["0"]],
])("QueueSet: %s", (_, limit, wanted, expected) => {
  const { start, dispatched } = openSet(queues(1), limit);
  for (const [i, count] of wanted.entries()) start(String(i), { work: seats(count) });
  expect(dispatched).toEqual(expected);
});

test("QueueSet: the final seats of a write are held until they are released", () => {
  const { set, start, dispatched } = openSet(queues(1), 2);
  const work = { initialSeats: 1, finalSeats: 2, finalSeconds: 0.01 };
  const write = start("write", { work }) as SeatedRequest;
  start("read");
  expect(set.finish(write)).toBe(0.01);
  expect(dispatched).toEqual(["write"]);
  set.release(write);
  expect(dispatched).toEqual(["write", "read"]);
  expect(set.isIdle).toBe(false);
});

test("QueueSet: final seats beyond the limit are fewer for longer", () => {
  const { set, start } = openSet(queues(1), 2);
  const work = { initialSeats: 1, finalSeats: 4, finalSeconds: 0.01 };
  expect(set.finish(start("write", { work }) as SeatedRequest)).toBe(0.02);
});

test("QueueSet: a cancelled request leaves its queue, one that is executed stays", () => {
  const { set, start, happened } = openSet(queues(1), 1);
  const first = start("a") as SeatedRequest;
  const second = start("b") as SeatedRequest;
  set.cancel(second);
  set.cancel(first);
  expect(happened.filter((what) => what === "time-out")).toHaveLength(1);
  expect(set.dump()).toMatchObject({ waiting: 0, executing: 1, rejected: 1, cancelled: 1 });
});

test("QueueSet: more seats dispatch those that wait, and queues that are not wanted go when they are empty", () => {
  const { set, start, dispatched } = openSet(queues(4), 1);
  const requests = [0, 1, 2, 3].map((queue) => start(String(queue), { queue }) as SeatedRequest);
  set.configure(queues(2), 2);
  expect(dispatched).toEqual(["0", "1"]);
  expect(set.dump().queues).toHaveLength(4);
  for (const request of requests) set.finish(request);
  expect(set.dump().queues).toHaveLength(2);
  expect(set.isIdle).toBe(true);
});
