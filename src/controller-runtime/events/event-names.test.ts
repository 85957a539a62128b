import { expect, test } from "vitest";
import { SeededRandom } from "../../base/random.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { createEventNames } from "./event-names.ts";

const millis = Date.UTC(2026, 0, 1);
const clock = new VirtualClock(millis);

test("an event is named after its object and the time in nanoseconds", () => {
  const [name, nanos] = createEventNames(clock, new SeededRandom(1))("web").split(".");
  expect(name).toBe("web");
  expect(BigInt(`0x${nanos}`) / 1_000_000n).toBe(BigInt(millis));
});

test("two generators do not use the same names for events of one object in one millisecond", () => {
  const random = new SeededRandom(1);
  const makers = [createEventNames(clock, random), createEventNames(clock, random)];
  const names = makers.flatMap((name) => Array.from({ length: 100 }, () => name("web")));
  expect(new Set(names).size).toBe(200);
});

test("names from one generator ascend", () => {
  const name = createEventNames(clock, new SeededRandom(1));
  const names = Array.from({ length: 100 }, () => name("web"));
  expect(names).toEqual([...names].sort());
});

test("events of an object with a very long name have generated names", () => {
  expect(createEventNames(clock, new SeededRandom(1))("a".repeat(250))).toMatch(/^[0-9a-f-]{36}$/);
});
