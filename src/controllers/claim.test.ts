import { expect, test } from "vitest";
import type { KubernetesObject } from "../client/resource-kind.ts";
import { type Claim, claimOf } from "./claim.ts";

const owner = (going = false): KubernetesObject => ({
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: {
    name: "web",
    namespace: "a",
    uid: "owner",
    ...(going && { deletionTimestamp: "2026-01-01T00:00:00Z" }),
  },
});

interface Row {
  readonly name: string;
  readonly controller?: string;
  readonly matches: boolean;
  readonly going?: boolean;
  readonly deleted?: boolean;
  readonly namespace?: string;
  readonly claim: Claim;
}

test.each<Row>([
  {
    name: "a controlled object that matches is owned",
    controller: "owner",
    matches: true,
    claim: "owned",
  },
  {
    name: "so it is while it is being deleted",
    controller: "owner",
    matches: true,
    going: true,
    claim: "owned",
  },
  {
    name: "a controlled object that does not match is released",
    controller: "owner",
    matches: false,
    claim: "release",
  },
  {
    name: "nothing is released while it is being deleted",
    controller: "owner",
    matches: false,
    going: true,
    claim: "none",
  },
  {
    name: "objects of another controller are left alone",
    controller: "other",
    matches: true,
    claim: "none",
  },
  { name: "a matching orphan is adopted", matches: true, claim: "adopt" },
  { name: "an orphan that does not match is left alone", matches: false, claim: "none" },
  {
    name: "a terminating orphan is left alone",
    matches: true,
    deleted: true,
    claim: "none",
  },
  {
    name: "nothing is adopted while it is being deleted",
    matches: true,
    going: true,
    claim: "none",
  },
  {
    name: "an orphan of another namespace is left alone",
    matches: true,
    namespace: "b",
    claim: "none",
  },
])("claimOf: $name", ({ controller, matches, going, deleted, namespace = "a", claim }) => {
  const object: KubernetesObject = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "p",
      namespace,
      ...(deleted && { deletionTimestamp: "2026-01-01T00:00:00Z" }),
      ...(controller && {
        ownerReferences: [
          {
            apiVersion: "apps/v1",
            kind: "ReplicaSet",
            name: "web",
            uid: controller,
            controller: true,
          },
        ],
      }),
    },
  };
  expect(claimOf(object, owner(going), matches)).toBe(claim);
});
