import { expect, test } from "vitest";
import { VirtualClock } from "../base/virtual-clock.ts";
import { rateLimited } from "./rate-limited.ts";
import type { Transport, TransportRequest } from "./transport.ts";

const call: TransportRequest = { method: "GET", path: "/api", query: "", headers: {} };

/** Records when requests pass the limit. */
function limited(qps: number, burst: number) {
  const clock = new VirtualClock();
  const start = clock.now();
  const times: number[] = [];
  const through: Transport = async () => {
    times.push(clock.now() - start);
    return { status: 200, headers: {} } as Awaited<ReturnType<Transport>>;
  };
  return { clock, times, transport: rateLimited(through, { qps, burst, clock }) };
}

test("rateLimited: a burst passes at once, the rest at a steady rate and in order", async () => {
  const { clock, times, transport } = limited(10, 3);
  const calls = Promise.all(Array.from({ length: 6 }, () => transport(call)));
  await clock.advance(1000);
  await calls;
  expect(times).toEqual([0, 0, 0, 100, 200, 300]);
});

test("rateLimited: a negative rate is unlimited", async () => {
  const { times, transport } = limited(-1, 1);
  await Promise.all(Array.from({ length: 50 }, () => transport(call)));
  expect(times.length).toBe(50);
});

test("rateLimited: zero selects client-go's defaults", async () => {
  const { clock, times, transport } = limited(0, 0);
  const calls = Promise.all(Array.from({ length: 12 }, () => transport(call)));
  await clock.advance(1000);
  await calls;
  expect(times.slice(9)).toEqual([0, 200, 400]);
});

test("rateLimited: a request that is aborted while it waits is not sent", async () => {
  const { clock, times, transport } = limited(1, 1);
  const stop = new AbortController();
  await transport(call);
  const waiting = transport({ ...call, signal: stop.signal });
  stop.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  await clock.advance(5000);
  expect(times).toEqual([0]);
});
