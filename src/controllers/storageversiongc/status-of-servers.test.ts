import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import type { StorageVersionStatus } from "../../api/apiserverinternal/v1alpha1/storage-version.ts";
import { statusOfServers } from "./status-of-servers.ts";

const now = Date.UTC(2026, 0, 2);
const before = "2026-01-01T00:00:00Z";
const atOnce = "2026-01-02T00:00:00Z";

const server = (apiServerID: string, encodingVersion = "v1") => ({
  apiServerID,
  encodingVersion,
  decodableVersions: [encodingVersion],
});
const condition = (isSet: boolean, lastTransitionTime: string, observedGeneration = 1) => ({
  type: "AllEncodingVersionsEqual",
  status: isSet ? "True" : "False",
  observedGeneration,
  lastTransitionTime,
  reason: isSet ? "CommonEncodingVersionSet" : "CommonEncodingVersionUnset",
  message: isSet ? "Common encoding version set" : "Common encoding version unset",
});

each<[what: string, old: StorageVersionStatus, status: StorageVersionStatus | undefined]>([
  ["no server is left", { storageVersions: [server("x"), server("y")] }, undefined],
  [
    "those that are left agree now",
    { storageVersions: [server("x", "v2"), server("a")], conditions: [condition(false, before)] },
    {
      storageVersions: [server("a")],
      commonEncodingVersion: "v1",
      conditions: [condition(true, atOnce, 7)],
    },
  ],
  [
    "those that are left agree as before",
    {
      storageVersions: [server("a"), server("x"), server("b")],
      commonEncodingVersion: "v1",
      conditions: [condition(true, before)],
    },
    {
      storageVersions: [server("a"), server("b")],
      commonEncodingVersion: "v1",
      conditions: [condition(true, before, 7)],
    },
  ],
  [
    "those that are left agree on another version than before",
    {
      storageVersions: [server("x"), server("a", "v2")],
      commonEncodingVersion: "v1",
      conditions: [condition(true, before)],
    },
    {
      storageVersions: [server("a", "v2")],
      commonEncodingVersion: "v2",
      conditions: [condition(true, atOnce, 7)],
    },
  ],
  [
    "those that are left disagree, and there was no condition",
    { storageVersions: [server("a"), server("b", "v2"), server("x")] },
    {
      storageVersions: [server("a"), server("b", "v2")],
      commonEncodingVersion: undefined,
      conditions: [condition(false, atOnce, 7)],
    },
  ],
])("statusOfServers: %s", (_, old, status) => {
  const version = { metadata: { name: "apps.deployments", generation: 7 }, status: old };
  expect(statusOfServers(version, new Set(["a", "b"]), now)).toEqual(status);
});
