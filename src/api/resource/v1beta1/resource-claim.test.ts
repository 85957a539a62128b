import { expect, test } from "vitest";
import { canonicalise } from "../../../schema/language/normalise.ts";
import { ResourceClaim as Stored } from "../v1/resource-claim.ts";
import { created, updated, written } from "../written.test-support.ts";
import { ResourceClaim } from "./resource-claim.ts";

const spec = {
  devices: {
    requests: [
      { name: "one", deviceClassName: "gpu", selectors: [{ cel: { expression: "true" } }] },
      { name: "other", firstAvailable: [{ name: "s", deviceClassName: "gpu" }] },
      { name: "none" },
    ],
  },
};

test("ResourceClaim v1beta1: a request is stored as exact if anything is said beside alternatives", () => {
  const claim = written(ResourceClaim, { spec });
  const stored = ResourceClaim.conversion?.toStored(claim as never);
  expect(canonicalise(Stored.struct, stored)).toEqual({
    ...claim,
    apiVersion: "resource.k8s.io/v1",
    spec: {
      devices: {
        requests: [
          {
            name: "one",
            exactly: {
              deviceClassName: "gpu",
              selectors: [{ cel: { expression: "true" } }],
              allocationMode: "ExactCount",
              count: 1,
            },
          },
          {
            name: "other",
            firstAvailable: [
              { name: "s", deviceClassName: "gpu", allocationMode: "ExactCount", count: 1 },
            ],
          },
          { name: "none" },
        ],
      },
    },
  });
  const back = ResourceClaim.conversion?.fromStored(stored as never);
  expect(canonicalise(ResourceClaim.struct, back)).toEqual(
    canonicalise(ResourceClaim.struct, claim),
  );
});

test("ResourceClaim v1beta1: errors speak of the form in which it is stored", () => {
  const requests = [
    { name: "r", count: 1 },
    { name: "s", deviceClassName: "c", count: -1 },
    { name: "t" },
  ];
  expect(created(ResourceClaim, { spec: { devices: { requests } } }).errors).toEqual([
    "spec.devices.requests[0].exactly.deviceClassName: Required value",
    'spec.devices.requests[0].exactly.allocationMode: Unsupported value: "": supported values: "All", "ExactCount"',
    "spec.devices.requests[1].exactly.count: Invalid value: -1: must be greater than zero",
    "spec.devices.requests[2]: Required value: exactly one of `exactly` or `firstAvailable` is required",
  ]);
});

test("ResourceClaim v1beta1: an update keeps the status, and one of the status keeps the rest", () => {
  const status = { reservedFor: [{ resource: "pods", name: "p", uid: "1" }] };
  const old = written(ResourceClaim, { spec, status });
  const claim = updated(ResourceClaim, old, { body: { spec, status: {} } }).object;
  const other = updated(ResourceClaim, old, { body: { status: {} }, subresource: "status" }).object;
  expect([claim.status, other.status, other.spec.devices.requests[0]?.deviceClassName]).toEqual([
    status,
    {},
    "gpu",
  ]);
});
