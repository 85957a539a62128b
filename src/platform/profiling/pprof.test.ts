import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { Profile, pprofBytes } from "./pprof.ts";

test("pprofBytes: numbers texts, functions and locations, each once", () => {
  const outer = { name: "outer", file: "a.js", line: 1 };
  const bytes = pprofBytes({
    types: [{ type: "samples", unit: "count" }],
    period: { type: "cpu", unit: "nanoseconds", value: 10 },
    startedAt: 5,
    durationMs: 2.5,
    samples: [
      { stack: [{ name: "", file: "a.js", line: 9 }, outer], values: [3] },
      { stack: [{ ...outer, line: 2 }], values: [4] },
    ],
  });
  const { strings, functions, locations, ...rest } = Profile.decode(gunzipSync(bytes));
  expect({
    ...rest,
    functions: functions.map(({ id, name, file }) => [id, strings[name], strings[file]]),
    locations: locations.map(({ id, lines }) => [id, lines[0]?.function, lines[0]?.line]),
    periodType: strings[rest.periodType?.type ?? 0],
    empty: strings[0],
  }).toEqual({
    types: [{ type: 1, unit: 2 }],
    samples: [
      { locations: [1, 2], values: [3] },
      { locations: [3], values: [4] },
    ],
    functions: [
      [1, "(anonymous)", "a.js"],
      [2, "outer", "a.js"],
    ],
    locations: [
      [1, 1, 9],
      [2, 2, 1],
      [3, 2, 2],
    ],
    timeNanos: 5_000_000n,
    durationNanos: 2_500_000,
    periodType: "cpu",
    period: 10,
    empty: "",
  });
});
