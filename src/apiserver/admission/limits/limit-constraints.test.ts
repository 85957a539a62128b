import { expect, test } from "vitest";
import type { LimitRangeItem } from "../../../api/core/v1/quota/limit-range-item.ts";
import { limitProblems, requestProblems } from "./limit-constraints.ts";

const item = (limits: object) => ({ type: "Container", ...limits }) as LimitRangeItem;

test.each([
  ["as much as the least", { min: { cpu: "1" } }, { cpu: "1000m" }, { cpu: 1 }, []],
  [
    "no request",
    { min: { cpu: "100m" } },
    {},
    {},
    ["minimum cpu usage per Container is 100m.  No request is specified"],
  ],
  [
    "a request that is too small",
    { min: { cpu: "100m" } },
    { cpu: "99m" },
    { cpu: "1" },
    ["minimum cpu usage per Container is 100m, but request is 99m"],
  ],
  [
    "a limit that is too small",
    { min: { cpu: "100m" } },
    { cpu: "100m" },
    { cpu: "0.05" },
    ["minimum cpu usage per Container is 100m, but limit is 50m"],
  ],
  [
    "no limit",
    { max: { memory: "1Gi" } },
    { memory: "1Gi" },
    {},
    ["maximum memory usage per Container is 1Gi.  No limit is specified"],
  ],
  [
    "a limit that is too large",
    { max: { memory: "1Gi" } },
    {},
    { memory: "2048Mi" },
    ["maximum memory usage per Container is 1Gi, but limit is 2Gi"],
  ],
  [
    "a request that is too large",
    { max: { cpu: "1" } },
    { cpu: "2" },
    { cpu: "1" },
    ["maximum cpu usage per Container is 1, but request is 2"],
  ],
  ["a ratio that is met", { maxLimitRequestRatio: { cpu: "1500m" } }, { cpu: 2 }, { cpu: 3 }, []],
  [
    "a ratio that is not met",
    { maxLimitRequestRatio: { cpu: "1500m" } },
    { cpu: "3" },
    { cpu: "5" },
    ["cpu max limit to request ratio per Container is 1500m, but provided ratio is 1.666667"],
  ],
  [
    "a ratio without a request",
    { maxLimitRequestRatio: { cpu: "2" } },
    { cpu: "0" },
    { cpu: "1" },
    [
      "cpu max limit to request ratio per Container is 2, but no request is specified or request is 0",
    ],
  ],
  [
    "a ratio without a limit",
    { maxLimitRequestRatio: { cpu: "2" } },
    { cpu: "1" },
    {},
    ["cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0"],
  ],
  [
    "a large amount with a fraction too much",
    { max: { x: "1000000000000" } },
    {},
    { x: "1000000000000001m" },
    ["maximum x usage per Container is 1T, but limit is 1000000000000001m"],
  ],
  ["a resource named as JavaScript's own", { min: {} }, { constructor: "1" }, {}, []],
] as const)("limitProblems: %s", (_, limits, requests, used, problems) => {
  expect(limitProblems(item(limits), { requests, limits: used })).toEqual(problems);
});

test("limitProblems: resources named like members of Object.prototype can be missing", () => {
  expect(limitProblems(item({ min: { constructor: "1" } }), { requests: {}, limits: {} })).toEqual([
    "minimum constructor usage per Container is 1.  No request is specified",
  ]);
});

test.each([
  [{ storage: "2Gi" }, []],
  [{ storage: "1Gi" }, ["minimum storage usage per Container is 2Gi, but request is 1Gi"]],
  [{ storage: "4Gi" }, ["maximum storage usage per Container is 3Gi, but request is 4Gi"]],
  [
    {},
    [
      "minimum storage usage per Container is 2Gi.  No request is specified",
      "maximum storage usage per Container is 3Gi.  No request is specified",
    ],
  ],
])("requestProblems: of %j", (requests, problems) => {
  const limits = item({ min: { storage: "2Gi" }, max: { storage: "3Gi" } });
  expect(requestProblems(limits, requests as Record<string, string>)).toEqual(problems);
});
