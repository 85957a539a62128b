import { expect, test } from "vitest";
import { At } from "../../../schema/language/report.ts";
import { StorageVersion, type StorageVersionStatus } from "./storage-version.ts";

const version = (status: StorageVersionStatus = {}, name = "apps.deployments"): StorageVersion => ({
  apiVersion: "internal.apiserver.k8s.io/v1alpha1",
  kind: "StorageVersion",
  metadata: { name, resourceVersion: "1" },
  spec: {},
  status,
});
const errors = (check: (at: At) => void): readonly string[] => {
  const at = At.root();
  check(at);
  return at.errors.map(({ field, message }) => `${field}: ${message}`);
};
const server = (apiServerID: string, encodingVersion: string, more: object = {}) => ({
  apiServerID,
  encodingVersion,
  decodableVersions: [encodingVersion],
  ...more,
});
const condition = {
  type: "A",
  status: "True",
  lastTransitionTime: "",
  reason: "r",
  message: "m",
};
const label =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

const statuses: readonly [rule: string, StorageVersionStatus, readonly string[]][] = [
  ["nothing may be known", {}, []],
  [
    "servers may agree",
    { storageVersions: [server("a", "v1"), server("b", "v1")], commonEncodingVersion: "v1" },
    [],
  ],
  ["servers may differ", { storageVersions: [server("a", "apps/v1"), server("b", "v2")] }, []],
  [
    "there is no common version where servers differ",
    { storageVersions: [server("a", "v1"), server("b", "v2")], commonEncodingVersion: "v1" },
    [
      'status.commonEncodingVersion: Invalid value: "v1": should be nil if servers do not agree on the same encoding version, or if there is no server reporting the supported versions yet',
    ],
  ],
  [
    "the common version is told",
    { storageVersions: [server("a", "v1")] },
    ["status.commonEncodingVersion: Invalid value: null: the common encoding version is v1"],
  ],
  [
    "the common version is the one that servers have",
    { storageVersions: [server("a", "v1")], commonEncodingVersion: "v2" },
    ['status.commonEncodingVersion: Invalid value: "v2": the actual common encoding version is v1'],
  ],
  [
    "a server tells once",
    { storageVersions: [server("a", "v1"), server("a", "v1")], commonEncodingVersion: "v1" },
    ['status.storageVersions[1].apiServerID: Duplicate value: "a"'],
  ],
  [
    "what is stored can be read, and what is served too",
    {
      storageVersions: [
        server("a", "v1", { decodableVersions: ["v2", "v3"], servedVersions: ["v4"] }),
      ],
      commonEncodingVersion: "v1",
    },
    [
      'status.storageVersions[0].decodableVersions: Invalid value: ["v2","v3"]: decodableVersions must include encodingVersion v1',
      'status.storageVersions[0].servedVersions[0]: Invalid value: "v4": individual served version : v4 must be included in decodableVersions : [v2 v3]',
    ],
  ],
  [
    "versions are well formed",
    { storageVersions: [server("a", "/V1")], commonEncodingVersion: "/V1" },
    [
      `status.storageVersions[0].encodingVersion: Invalid value: "/V1": group part: must be non-empty,version part: ${label}`,
      `status.storageVersions[0].decodableVersions[0]: Invalid value: "/V1": group part: must be non-empty,version part: ${label}`,
    ],
  ],
  [
    "a condition comes once, with reason and message",
    { conditions: [condition, { ...condition, reason: "", message: "" }] },
    [
      'status[1].type: Invalid value: "A": the type of the condition is not unique, it also appears in conditions[0]',
      "status[1].reason: Required value",
      "status[1].message: Required value",
    ],
  ],
];
test.each(statuses)("StorageVersion: %s", (_, status, expected) => {
  expect(
    errors((at) => StorageVersion.validateStatusUpdate(version(status), version(), at)),
  ).toEqual(expected);
});

test("StorageVersion: its name is a group and a resource", () => {
  const named = (name: string) =>
    errors((at) => StorageVersion.validateCreate(version({}, name), at));
  expect([named("core.pods"), named("pods"), named("apps.1")]).toEqual([
    [],
    ['metadata.name: Invalid value: "pods": name must be in the form of <group>.<resource>'],
    [`metadata.name: Invalid value: "apps.1": the resource segment ${label}`],
  ]);
});

test("StorageVersion: the table shows three servers", () => {
  const cell = (...ids: readonly string[]) =>
    StorageVersion.columns[2]?.cell(
      version({ storageVersions: ids.map((id) => server(id, "v1")) }) as never,
      { now: 0 },
    );
  expect([cell(), cell("a", "b"), cell("a", "b", "c", "d")]).toEqual([
    "<unset>",
    "a=v1,b=v1",
    "a=v1,b=v1,c=v1 + 1 more...",
  ]);
});
