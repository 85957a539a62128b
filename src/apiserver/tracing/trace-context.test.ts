import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { isInSample, parseTraceparent } from "./trace-context.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const spanId = "00f067aa0ba902b7";

each<[what: string, header: string | undefined, isSampled: boolean | undefined]>([
  ["no header", undefined, undefined],
  ["a sampled span", `00-${traceId}-${spanId}-01`, true],
  ["a span that is not sampled", `00-${traceId}-${spanId}-00`, false],
  ["further flags", `00-${traceId}-${spanId}-03`, true],
  ["a later version with more", `01-${traceId}-${spanId}-01-x`, true],
  ["more than the version has", `00-${traceId}-${spanId}-01-x`, undefined],
  ["a version that must not be", `ff-${traceId}-${spanId}-01`, undefined],
  ["capital letters", `00-${traceId.toUpperCase()}-${spanId}-01`, undefined],
  ["no trace", `00-${"0".repeat(32)}-${spanId}-01`, undefined],
  ["no span", `00-${traceId}-${"0".repeat(16)}-01`, undefined],
  ["too short", `00-${traceId}-${spanId}`, undefined],
])("parseTraceparent: %s", (_, header, isSampled) => {
  expect(parseTraceparent(header)).toEqual(
    isSampled === undefined ? undefined : { traceId, spanId, isSampled },
  );
});

each<[what: string, low: string, rate: number, isIn: boolean]>([
  ["none", "0000000000000000", 0, false],
  ["all", "ffffffffffffffff", 1_000_000, true],
  ["half, and a low number", "7fffffffffffffff", 500_000, true],
  ["half, and a high number", "8000000000000000", 500_000, false],
])("isInSample: %s", (_, low, rate, isIn) => {
  expect(isInSample("0".repeat(16) + low, rate)).toBe(isIn);
});
