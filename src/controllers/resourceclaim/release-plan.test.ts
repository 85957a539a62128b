import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { claimFinalizer } from "../../api/resource/v1/claim-use.ts";
import type { ResourceClaim } from "../../api/resource/v1/resource-claim.ts";
import { type Consumer, type ReleasePlan, releasePlan } from "./release-plan.ts";

const pod = (name: string): Consumer => ({ resource: "pods", name, uid: name });
const allocation = { devices: {} };

interface Given {
  readonly reserved?: readonly Consumer[];
  readonly allocated?: boolean;
  readonly isProtected?: boolean;
  readonly isGoing?: boolean;
}

each<[title: string, given: Given, remaining: Consumer[], plan: Partial<ReleasePlan>]>([
  [
    "a used claim stays as it is",
    { reserved: [pod("a")] },
    [pod("a")],
    { status: undefined, removesFinalizer: false, isUnused: false },
  ],
  [
    "a claim with fewer consumers stays allocated",
    { reserved: [pod("a"), pod("b")] },
    [pod("b")],
    { status: { allocation, reservedFor: [pod("b")] }, removesFinalizer: false, isUnused: false },
  ],
  [
    "a claim without consumers is deallocated, and then unprotected",
    { reserved: [pod("a")] },
    [],
    { status: { reservedFor: [] }, removesFinalizer: true, isUnused: true },
  ],
  [
    "a claim that another program allocated stays allocated",
    { reserved: [pod("a")], isProtected: false },
    [],
    { status: { allocation, reservedFor: [] }, removesFinalizer: false },
  ],
  [
    "an allocated claim that never was reserved stays allocated",
    {},
    [],
    { status: undefined, removesFinalizer: false, isUnused: true },
  ],
  [
    "an unused claim that is being deleted is deallocated, and then unprotected",
    { isGoing: true },
    [],
    { status: {}, removesFinalizer: true },
  ],
  [
    "without an allocation it is only unprotected",
    { isGoing: true, allocated: false },
    [],
    { status: undefined, removesFinalizer: true },
  ],
  [
    "a used claim that is being deleted stays",
    { isGoing: true, reserved: [pod("a")] },
    [pod("a")],
    { status: undefined, removesFinalizer: false },
  ],
])("releasePlan: %s", (_title, given, remaining, plan) => {
  const { reserved, allocated = true, isProtected = true, isGoing } = given;
  const claim: ResourceClaim = {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaim",
    metadata: {
      name: "c",
      ...(isProtected && { finalizers: [claimFinalizer] }),
      ...(isGoing && { deletionTimestamp: "2026-01-01T00:00:00Z" }),
    },
    spec: { devices: { requests: [] } },
    status: { ...(allocated && { allocation }), ...(reserved && { reservedFor: reserved }) },
  };
  expect(releasePlan(claim, remaining)).toMatchObject(plan);
});
