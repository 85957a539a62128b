import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import type { Transport, TransportRequest, TransportResponse } from "../../client/transport.ts";
import { componentProcess } from "./component-process.ts";

const request: TransportRequest = { method: "GET", path: "/a", query: "", headers: {} };
const watch: TransportRequest = { ...request, query: "watch=true" };

/** A transport whose responses the test sends. */
function pending() {
  const answers: (() => void)[] = [];
  const signals: (AbortSignal | undefined)[] = [];
  const transport: Transport = ({ signal }) => {
    signals.push(signal);
    return new Promise((resolve) => {
      answers.push(() => resolve({ status: 200, headers: {} } as TransportResponse));
    });
  };
  return { transport, answers, signals };
}

const turns = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await undefined;
};

test("a killed component receives no response and sends no request", async () => {
  const process = componentProcess(new VirtualClock());
  const { transport, answers } = pending();
  const call = process.transport(transport);
  const received: string[] = [];
  void call(request).then(() => received.push("first"));
  process.kill();
  answers[0]?.();
  void call(request).then(() => received.push("second"));
  await turns();
  expect([received, answers.length]).toEqual([[], 1]);
});

test("timers of a killed component do not fire, even those set later", async () => {
  const clock = new VirtualClock();
  const process = componentProcess(clock);
  const fired: string[] = [];
  process.clock.setTimer(10, () => fired.push("before"));
  process.kill();
  process.clock.setTimer(10, () => fired.push("after"));
  await clock.advance(100);
  expect([fired, clock.pending]).toEqual([[], 0]);
});

test("a paused component receives everything in order once it resumes", async () => {
  const clock = new VirtualClock();
  const process = componentProcess(clock);
  const { transport, answers } = pending();
  const received: string[] = [];
  void process
    .transport(transport)(request)
    .then(() => received.push("answer"));
  process.clock.setTimer(10, () => received.push("timer"));
  const cancelled = process.clock.setTimer(20, () => received.push("cancelled"));
  process.pause();
  answers[0]?.();
  await clock.advance(100);
  expect(received).toEqual([]);
  cancelled.cancel();
  process.resume();
  await turns();
  expect(received.sort()).toEqual(["answer", "timer"]);
});

test("cut breaks open watches, not later ones", () => {
  const process = componentProcess(new VirtualClock());
  const { transport, signals } = pending();
  void process.transport(transport)(watch);
  process.cut();
  void process.transport(transport)(watch);
  expect(signals.map((signal) => signal?.aborted)).toEqual([true, false]);
  expect(signals[0]?.reason).toMatchObject({ message: "read: connection reset by peer" });
});

test("a watch that has ended or was rejected leaves no listener on its signal", async () => {
  const process = componentProcess(new VirtualClock());
  const { signal } = new AbortController();
  const answer = {
    status: 200,
    headers: {},
    value: async () => "refused",
    async *values() {
      yield [1];
      yield [2];
    },
  } as unknown as TransportResponse;
  const open = () => process.transport(async () => answer)({ ...watch, signal });
  for await (const _ of (await open()).values());
  for await (const _ of (await open()).values()) break;
  await (await open()).value();
  const broken = process.transport(() => Promise.reject(new Error("nobody is there")));
  await expect(broken({ ...watch, signal })).rejects.toThrow("nobody is there");
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("a killed component sees neither the last events nor the end of a watch", async () => {
  const process = componentProcess(new VirtualClock());
  const answer = {
    status: 200,
    headers: {},
    async *values() {
      yield [1];
      yield [2];
    },
  } as unknown as TransportResponse;
  const { values } = await process.transport(async () => answer)(watch);
  const received: unknown[] = [];
  const iterator = values()[Symbol.asyncIterator]();
  received.push((await iterator.next()).value);
  process.kill();
  void iterator.next().then(({ value }) => received.push(value));
  void iterator.return?.().then(() => received.push("over"));
  await turns();
  expect(received).toEqual([[1]]);
});
