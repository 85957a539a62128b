import { expect, test } from "vitest";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { noLog } from "../../base/log.ts";
import { noMetrics } from "../../base/metrics.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { createDelivery } from "./informer-delivery.ts";
import { ToldHandler } from "./informer-handler.ts";
import { informerMeter } from "./informer-metrics.ts";

/** A clock on which each call of a handler takes some time. */
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

test("many objects are told a few milliseconds at a time, and all handlers come to their turn", async () => {
  const { clock, take } = slowClock();
  const turns: number[] = [0];
  const delivery = createDelivery({
    clock,
    signal: new AbortController().signal,
    breathe: async () => void turns.push(0),
  });
  const meter = informerMeter(noMetrics, "", ConfigMap);
  const told = { one: 0, two: 0 };
  const tell = (which: keyof typeof told) => () => {
    told[which]++;
    turns[turns.length - 1] = (turns.at(-1) ?? 0) + 1;
    take(0.5);
  };
  const objects = Array.from({ length: 1000 }, (_, i) => i);
  const options = { clock, log: noLog, delivery, meter, resyncMs: 0 };
  const how = { present: () => objects, onTold: () => {} };
  const one = new ToldHandler<number>({ added: tell("one") }, options, how);
  const two = new ToldHandler<number>({ added: tell("two") }, options, how);
  expect(told).toEqual({ one: 0, two: 0 });
  while (!one.hasSynced || !two.hasSynced) await undefined;
  expect(told).toEqual({ one: 1000, two: 1000 });
  expect(Math.max(...turns)).toBeLessThanOrEqual(10);
  expect(turns.length).toBeGreaterThanOrEqual(200);
});

test("a clock that is set back does not make a turn endless", async () => {
  const { clock, take } = slowClock();
  let turns = 1;
  const ending = new AbortController();
  const delivery = createDelivery({
    clock,
    signal: ending.signal,
    breathe: async () => void turns++,
  });
  let left = 20;
  delivery.wake({
    tell() {
      take(-1000);
      return left-- > 0;
    },
    paused() {},
  });
  while (left > 0) await undefined;
  expect(turns).toBeGreaterThan(10);
});

test("nothing more is told after the end, and no timer is left", async () => {
  const { clock, take } = slowClock();
  const ending = new AbortController();
  const delivery = createDelivery({ clock, signal: ending.signal });
  let told = 0;
  delivery.wake({
    tell() {
      told++;
      take(10);
      return true;
    },
    paused() {},
  });
  for (let i = 0; i < 10; i++) await undefined;
  expect([told, clock.pending]).toEqual([1, 1]);
  const before = told;
  ending.abort(new Error("over"));
  expect(clock.pending).toBe(0);
  await clock.advance(100);
  expect(told).toBe(before);
});
