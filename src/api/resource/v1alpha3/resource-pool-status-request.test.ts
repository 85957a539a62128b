import { expect, test } from "vitest";
import { created, updated, written } from "../written.test-support.ts";
import { ResourcePoolStatusRequest } from "./resource-pool-status-request.ts";

const spec = { driver: "d" };
const complete = {
  type: "Complete",
  status: "True",
  reason: "Done",
  message: "",
  lastTransitionTime: "2026-01-01T00:00:00Z",
};
const pool = { driver: "d", poolName: "p", generation: 1, totalDevices: 3, availableDevices: 2 };

const refused: readonly [rule: string, spec: object, errors: readonly string[]][] = [
  ["a driver is enough", spec, []],
  ["a driver is needed", {}, ["spec.driver: Required value"]],
  [
    "the limit is at most 1000",
    { ...spec, limit: 1001 },
    ["spec.limit: Invalid value: 1001: must be less than or equal to 1000"],
  ],
  [
    "the limit is at least 1",
    { ...spec, limit: 0 },
    ["spec.limit: Invalid value: 0: must be greater than or equal to 1"],
  ],
  [
    "no segment of a pool is empty",
    { ...spec, poolName: "a//b" },
    ['spec.poolName: Invalid value: "a//b": segment 1: must not be empty'],
  ],
];

test.each(refused)("ResourcePoolStatusRequest: %s", (_, body, errors) => {
  expect(created(ResourcePoolStatusRequest, { spec: body }).errors).toEqual(errors);
});

test("ResourcePoolStatusRequest: what is asked never changes", () => {
  const old = written(ResourcePoolStatusRequest, { spec });
  const body = { spec: { driver: "e" } };
  expect(updated(ResourcePoolStatusRequest, old, { body }).errors).toEqual([
    "spec: Invalid value: null: field is immutable",
  ]);
});

test("ResourcePoolStatusRequest: an answer is complete, and given once", () => {
  const errorsOf = (old: object, status: object) =>
    updated(ResourcePoolStatusRequest, written(ResourcePoolStatusRequest, { spec, ...old }), {
      body: { spec, status },
      subresource: "status",
    }).errors;
  const status = { poolCount: 1, pools: [pool], conditions: [complete] };
  expect([
    errorsOf({}, status),
    errorsOf({}, { pools: [{ ...pool, generation: 0, resourceSliceCount: 0 }] }),
    errorsOf({ status: { poolCount: 1 } }, { poolCount: 2 }),
  ]).toEqual([
    [],
    [
      "status.poolCount: Required value",
      "status.pools[0].generation: Required value",
      "status.pools[0].resourceSliceCount: Invalid value: 0: must be greater than or equal to 1",
    ],
    ['status: Invalid value: {"PoolCount":2,"Pools":null,"Conditions":null}: field is immutable'],
  ]);
});

test("ResourcePoolStatusRequest: a table sums up the pools", () => {
  const cellsOf = (status?: object) => {
    const request = written(ResourcePoolStatusRequest, { spec, ...(status ? { status } : {}) });
    const now = Date.parse("2026-01-01T00:01:00Z");
    return ResourcePoolStatusRequest.columns.map(({ cell }) => cell(request as never, { now }));
  };
  expect([
    cellsOf(),
    cellsOf({ poolCount: 3, pools: [pool, pool], conditions: [complete] }),
    cellsOf({ poolCount: 1, pools: [pool], conditions: [{ ...complete, type: "Failed" }] }),
  ]).toEqual([
    ["a", "d", "-", "-", "-", "-", "-", 0, "Pending", "<none>"],
    ["a", "d", "6", "4", "0", "0", "0", 3, "Complete (2/3 pools)", "60s"],
    ["a", "d", "-", "-", "-", "-", "-", 1, "Failed", "<none>"],
  ]);
});
