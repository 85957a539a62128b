import { expect, test } from "vitest";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { noLog } from "../../base/log.ts";
import { noMetrics } from "../../base/metrics.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { createDelivery } from "./informer-delivery.ts";
import { RegisteredHandler } from "./informer-handler.ts";
import { informerMeter } from "./informer-metrics.ts";

/** A clock on which each handler call takes some time. */
function slowClock(): { readonly clock: VirtualClock; take(ms: number): void } {
  let taken = 0;
  class SlowClock extends VirtualClock {
    override now(): number {
      return super.now() + taken;
    }
  }
  return {
    clock: new SlowClock(0),
    take(ms) {
      taken += ms;
    },
  };
}

test("handlers are called in time slices of a few milliseconds, and all get their turn", async () => {
  const { clock, take } = slowClock();
  const turns: number[] = [0];
  const delivery = createDelivery({
    clock,
    signal: new AbortController().signal,
    yieldTurn: async () => void turns.push(0),
  });
  const meter = informerMeter(noMetrics, "", ConfigMap);
  const delivered = { one: 0, two: 0 };
  const deliverNext = (which: keyof typeof delivered) => () => {
    delivered[which]++;
    turns[turns.length - 1] = (turns.at(-1) ?? 0) + 1;
    take(0.5);
  };
  const objects = Array.from({ length: 1000 }, (_, i) => i);
  const options = { clock, log: noLog, delivery, meter, resyncMs: 0 };
  const how = { present: () => objects, onDelivered: () => {} };
  const one = new RegisteredHandler<number>({ added: deliverNext("one") }, options, how);
  const two = new RegisteredHandler<number>({ added: deliverNext("two") }, options, how);
  expect(delivered).toEqual({ one: 0, two: 0 });
  while (!one.hasSynced || !two.hasSynced) await undefined;
  expect(delivered).toEqual({ one: 1000, two: 1000 });
  expect(Math.max(...turns)).toBeLessThanOrEqual(10);
  expect(turns.length).toBeGreaterThanOrEqual(200);
});

test("a clock that is set back does not make a time slice endless", async () => {
  const { clock, take } = slowClock();
  let turns = 1;
  const ending = new AbortController();
  const delivery = createDelivery({
    clock,
    signal: ending.signal,
    yieldTurn: async () => void turns++,
  });
  let left = 20;
  delivery.wake({
    deliverNext() {
      take(-1000);
      return left-- > 0;
    },
    paused() {},
  });
  while (left > 0) await undefined;
  expect(turns).toBeGreaterThan(10);
});

test("after the abort, no handler is called and no timer is left", async () => {
  const { clock, take } = slowClock();
  const ending = new AbortController();
  const delivery = createDelivery({ clock, signal: ending.signal });
  let delivered = 0;
  delivery.wake({
    deliverNext() {
      delivered++;
      take(10);
      return true;
    },
    paused() {},
  });
  for (let i = 0; i < 10; i++) await undefined;
  expect([delivered, clock.pending]).toEqual([1, 1]);
  const before = delivered;
  ending.abort(new Error("over"));
  expect(clock.pending).toBe(0);
  await clock.advance(100);
  expect(delivered).toBe(before);
});
