import { afterEach, beforeEach, expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { goTimeText, sinceText, timeText } from "./time-text.ts";

const zone = process.env.TZ;
beforeEach(() => {
  process.env.TZ = "UTC";
});
afterEach(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

each<[zone: string, rfc: string, go: string]>([
  ["UTC", "Fri, 03 Jul 2026 22:04:05 +0000", "2026-07-03 22:04:05 +0000 UTC"],
  ["Europe/Berlin", "Sat, 04 Jul 2026 00:04:05 +0200", "2026-07-04 00:04:05 +0200 CEST"],
  ["America/New_York", "Fri, 03 Jul 2026 18:04:05 -0400", "2026-07-03 18:04:05 -0400 EDT"],
  ["America/Sao_Paulo", "Fri, 03 Jul 2026 19:04:05 -0300", "2026-07-03 19:04:05 -0300 -03"],
  ["Asia/Kathmandu", "Sat, 04 Jul 2026 03:49:05 +0545", "2026-07-04 03:49:05 +0545 +0545"],
])("times are those of the zone: %s", (zone, rfc, go) => {
  process.env.TZ = zone;
  expect(timeText("2026-07-03T22:04:05Z")).toBe(rfc);
  expect(goTimeText("2026-07-03T22:04:05Z")).toBe(go);
});

test("a time that is absent is Go's zero, and its age is unknown", () => {
  expect(timeText(null)).toBe("Mon, 01 Jan 0001 00:00:00 +0000");
  expect(goTimeText(undefined)).toBe("0001-01-01 00:00:00 +0000 UTC");
  expect(sinceText("", { now: () => 0 })).toBe("<unknown>");
});

test("the age of a time with microseconds", () => {
  const clock = { now: () => Date.UTC(2026, 0, 1, 0, 2, 3) };
  expect(sinceText("2026-01-01T00:00:00.500000Z", clock)).toBe("2m2s");
});
