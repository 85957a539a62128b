import { expect, test } from "vitest";
import { VirtualClock } from "../../../base/virtual-clock.ts";
import { InFlight } from "./in-flight.ts";

test("InFlight: a request beyond the limit is rejected until another leaves, unless its caller is an administrator", () => {
  const inFlight = new InFlight({ reading: 2, writing: 1 }, new VirtualClock());
  const enter = (groups: readonly string[] = []) => inFlight.enter("reading", groups);
  expect([enter(), enter(), enter(), enter(["system:masters"])]).toEqual([true, true, false, true]);
  expect(inFlight.enter("writing", [])).toEqual(true);
  inFlight.leave("reading");
  expect(enter()).toEqual(false);
  inFlight.leave("reading");
  expect(enter()).toEqual(true);
});

test("InFlight: the maximum in flight is kept for a second", async () => {
  const clock = new VirtualClock(500);
  const inFlight = new InFlight({ reading: 0, writing: 0 }, clock);
  for (let i = 0; i < 3; i++) inFlight.enter("reading", []);
  for (let i = 0; i < 2; i++) inFlight.leave("reading");
  const most = [inFlight.most("reading")];
  for (const ms of [1000, 1000, 5000]) {
    await clock.advance(ms);
    most.push(inFlight.most("reading"));
  }
  expect(most).toEqual([3, 3, 1, 1]);
});
