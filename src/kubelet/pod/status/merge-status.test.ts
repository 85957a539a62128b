import { expect, test } from "vitest";
import type { PodStatus } from "../../../api/core/v1/pod/pod-status.ts";
import { mergeStatus } from "./merge-status.ts";

const status = (parts: object): PodStatus => parts as PodStatus;
const condition = (type: string, value: string) => ({ type, status: value });

test("mergeStatus: keeps fields that others write, and drops those that they removed", () => {
  const others = {
    nominatedNodeName: "n",
    resourceClaimStatuses: [{ name: "claim" }],
    extendedResourceClaimStatus: { resourceClaimName: "extended" },
    nodeAllocatableResourceClaimStatuses: [{ resourceClaimName: "node" }],
  };
  const said = status({ phase: "Running", message: undefined });
  expect(mergeStatus(status({ phase: "Pending", ...others }), said, true)).toEqual({
    phase: "Running",
    conditions: [],
    ...others,
  });
  const before = status({ phase: "Running", ...others });
  const merged = mergeStatus(status({ phase: "Pending" }), before, true);
  expect(Object.keys(merged).sort()).toEqual(["conditions", "phase"]);
});

test("mergeStatus: sets the kubelet's conditions, and keeps those of others", () => {
  const stored = status({
    conditions: [condition("Ready", "False"), condition("example.com/x", "True")],
  });
  const said = status({
    conditions: [condition("Ready", "True"), condition("example.com/y", "True")],
  });
  expect(mergeStatus(stored, said, true).conditions).toEqual([
    condition("example.com/x", "True"),
    condition("Ready", "True"),
  ]);
});

test("mergeStatus: a pod whose containers may still run is not reported as ended", () => {
  const running = status({ phase: "Running" });
  const failed = status({ phase: "Failed", reason: "Evicted", message: "why" });
  expect(mergeStatus(running, failed, true)).toEqual({ phase: "Running", conditions: [] });
  expect(mergeStatus(running, failed, false)).toMatchObject({ phase: "Failed", reason: "Evicted" });
});
