import { expect, test } from "vitest";
import { amountsOf } from "../../api/core/v1/quota/amounts.ts";
import type { ResourceList } from "../../api/core/v1/resource-list.ts";
import { hasMissed, isUrgent, nextStatus } from "./quota-status.ts";

const quota = (spec: ResourceList, hard?: ResourceList, used?: ResourceList) => ({
  spec: { hard: spec },
  status: { hard, used },
});
const pods = { pods: "2" };

test.each<[string, ReturnType<typeof quota>, ResourceList, object | undefined]>([
  ["a new quota", quota(pods), { pods: "1" }, { hard: pods, used: { pods: "1" } }],
  ["a status that is up to date", quota(pods, pods, { pods: "1" }), { pods: "1" }, undefined],
  [
    "amounts that are written in another way",
    quota({ cpu: "2" }, { cpu: "2000m" }, { cpu: "0.5" }),
    { cpu: "500m" },
    undefined,
  ],
  ["less", quota(pods, pods, { pods: "2" }), { pods: "1" }, { hard: pods, used: { pods: "1" } }],
  [
    "limits that have changed",
    quota({ pods: "3" }, pods, { pods: "1" }),
    { pods: "1" },
    { hard: { pods: "3" }, used: { pods: "1" } },
  ],
  [
    "what is limited no more",
    quota(pods, { pods: "2", secrets: "1" }, { pods: "1", secrets: "1" }),
    { pods: "1" },
    { hard: pods, used: { pods: "1" } },
  ],
  [
    "what could not be counted stays",
    quota({ pods: "2", secrets: "1" }, { pods: "2", secrets: "1" }, { pods: "1", secrets: "1" }),
    { pods: "0" },
    { hard: { pods: "2", secrets: "1" }, used: { pods: "0", secrets: "1" } },
  ],
  [
    "what nobody counts",
    quota({ "count/toys.example.com": "1" }),
    {},
    { hard: { "count/toys.example.com": "1" }, used: {} },
  ],
  [
    "a limit that nobody counts, in the status",
    quota({ "count/a.b": "1" }, { "count/a.b": "1" }),
    {},
    undefined,
  ],
  ["a quota without limits", quota({}), {}, undefined],
])("nextStatus: %s", (_, one, counted, status) => {
  expect(nextStatus(one, amountsOf(counted))).toEqual(status);
});

test.each<[string, ReturnType<typeof quota>, boolean]>([
  ["a new quota", quota(pods), true],
  ["limits that have changed", quota({ pods: "3" }, pods, { pods: "1" }), true],
  ["limits that are not counted", quota(pods, pods, {}), true],
  ["limits that nobody can count", quota({ "a.b/c": "1" }, { "a.b/c": "1" }), false],
  ["a quota that is in force", quota(pods, pods, { pods: "1" }), false],
])("isUrgent: %s", (_, one, urgent) => {
  expect(isUrgent(one, (name) => name === "pods")).toBe(urgent);
});

test.each<[string, ResourceList | undefined, ResourceList, boolean]>([
  ["as much", { pods: "1" }, { pods: "1" }, false],
  ["more", { pods: "1", secrets: "2" }, { pods: "2", secrets: "1" }, true],
  ["less", { pods: "2" }, { pods: "1" }, false],
  ["usage that the status no longer has", {}, { pods: "1" }, false],
  ["a status that is gone", undefined, { pods: "1" }, false],
])("hasMissed: %s", (_, used, counted, missed) => {
  expect(hasMissed(quota(pods, pods, used), amountsOf(counted))).toBe(missed);
});
