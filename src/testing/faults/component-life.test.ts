import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import type { Transport, TransportRequest, TransportResponse } from "../../client/transport.ts";
import { componentLife } from "./component-life.ts";

const request: TransportRequest = { method: "GET", path: "/a", query: "", headers: {} };
const watch: TransportRequest = { ...request, query: "watch=true" };

/** A transport whose calls are answered when the test says so. */
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

test("who was killed is not told the answer to a call, and makes none any more", async () => {
  const life = componentLife(new VirtualClock());
  const { transport, answers } = pending();
  const call = life.transport(transport);
  const told: string[] = [];
  void call(request).then(() => told.push("first"));
  life.kill();
  answers[0]?.();
  void call(request).then(() => told.push("second"));
  await turns();
  expect([told, answers.length]).toEqual([[], 1]);
});

test("timers of who was killed do not fire, those set later among them", async () => {
  const clock = new VirtualClock();
  const life = componentLife(clock);
  const fired: string[] = [];
  life.clock.setTimer(10, () => fired.push("before"));
  life.kill();
  life.clock.setTimer(10, () => fired.push("after"));
  await clock.advance(100);
  expect([fired, clock.pending]).toEqual([[], 0]);
});

test("who stands still hears of everything once it goes on, in order", async () => {
  const clock = new VirtualClock();
  const life = componentLife(clock);
  const { transport, answers } = pending();
  const told: string[] = [];
  void life
    .transport(transport)(request)
    .then(() => told.push("answer"));
  life.clock.setTimer(10, () => told.push("timer"));
  const cancelled = life.clock.setTimer(20, () => told.push("cancelled"));
  life.pause();
  answers[0]?.();
  await clock.advance(100);
  expect(told).toEqual([]);
  cancelled.cancel();
  life.resume();
  await turns();
  expect(told.sort()).toEqual(["answer", "timer"]);
});

test("what is cut is the watches that are open, not those that come later", () => {
  const life = componentLife(new VirtualClock());
  const { transport, signals } = pending();
  void life.transport(transport)(watch);
  life.cut();
  void life.transport(transport)(watch);
  expect(signals.map((signal) => signal?.aborted)).toEqual([true, false]);
  expect(signals[0]?.reason).toMatchObject({ message: "read: connection reset by peer" });
});

test("a watch that has ended, or was refused, leaves nothing at the signal of whoever made it", async () => {
  const life = componentLife(new VirtualClock());
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
  const open = () => life.transport(async () => answer)({ ...watch, signal });
  for await (const _ of (await open()).values());
  for await (const _ of (await open()).values()) break;
  await (await open()).value();
  const broken = life.transport(() => Promise.reject(new Error("nobody is there")));
  await expect(broken({ ...watch, signal })).rejects.toThrow("nobody is there");
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("who was killed is not told that a watch is over, nor what it still had to say", async () => {
  const life = componentLife(new VirtualClock());
  const answer = {
    status: 200,
    headers: {},
    async *values() {
      yield [1];
      yield [2];
    },
  } as unknown as TransportResponse;
  const { values } = await life.transport(async () => answer)(watch);
  const told: unknown[] = [];
  const iterator = values()[Symbol.asyncIterator]();
  told.push((await iterator.next()).value);
  life.kill();
  void iterator.next().then(({ value }) => told.push(value));
  void iterator.return?.().then(() => told.push("over"));
  await turns();
  expect(told).toEqual([[1]]);
});
