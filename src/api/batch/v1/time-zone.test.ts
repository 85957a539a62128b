import { expect, test } from "vitest";
import { timeZoneFault } from "./time-zone.ts";

test.each([
  ["Europe/Berlin", undefined],
  ["Asia/Kolkata", undefined],
  ["Asia/Calcutta", undefined],
  ["US/Pacific", undefined],
  ["Etc/GMT-14", undefined],
  ["UTC", undefined],
  ["Local", undefined],
  ["europe/berlin", "unknown time zone europe/berlin"],
  ["Europe/BERLIN", "unknown time zone Europe/BERLIN"],
  ["+0100", "unknown time zone +0100"],
  ["Europe", "unknown time zone Europe"],
  ["A..B", "time: invalid location name"],
])("timeZoneFault: of %s", (name, fault) => {
  expect(timeZoneFault(name)).toBe(fault);
});
