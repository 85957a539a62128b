import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import {
  createErrors,
  read,
  statusErrors,
  updateErrors,
} from "../../storage/storage-object.test-support.ts";
import { StorageVersionMigration } from "./storage-version-migration.ts";

const migration = (resource: object, status: object = {}) => ({ spec: { resource }, status });
const pods = { group: "", resource: "pods" };
const condition = (type: string, status = "True") => ({
  type,
  status,
  lastTransitionTime: "2026-01-01T00:00:00Z",
  reason: "R",
  message: "",
});

each<[rule: string, object: object, errors: readonly string[]]>([
  ["a resource of the core group is enough", migration(pods), []],
  [
    "a resource is named",
    migration({}),
    ["spec.resource.resource: Required value: resource is required to be set"],
  ],
  [
    "all that is wrong with a name is one error",
    migration({ resource: `-${"x".repeat(63)}` }),
    [
      `spec.resource.resource: Invalid value: "-${"x".repeat(63)}": must be no more than 63 characters,a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`,
    ],
  ],
])("StorageVersionMigration: %s", (_, object, errors) => {
  expect(createErrors(StorageVersionMigration, object)).toEqual(errors);
});

test("StorageVersionMigration: the resource does not change", () => {
  const other = migration({ group: "apps", resource: "deployments" });
  expect(updateErrors(StorageVersionMigration, other, migration(pods))).toEqual([
    'spec: Invalid value: {"Resource":{"group":"apps","resource":"deployments"}}: field is immutable',
  ]);
});

const shown = (...types: readonly string[]) => JSON.stringify(types.map((type) => condition(type)));

each<[rule: string, status: object, old: object, errors: readonly string[]]>([
  ["a version is a number", { resourceVersion: "12" }, {}, []],
  [
    "a version has no leading zero",
    { resourceVersion: "012" },
    {},
    ['status.resourceVersion: Invalid value: "012": resource version is not well formed: 012'],
  ],
  [
    "a version does not change",
    { resourceVersion: "13" },
    { resourceVersion: "12" },
    ['status.resourceVersion: Invalid value: "13": field is immutable'],
  ],
  [
    "a migration does not both succeed and fail",
    { conditions: [condition("Succeeded"), condition("Failed")] },
    {},
    [
      `status.conditions: Invalid value: ${shown("Succeeded", "Failed")}: Both success and failed conditions cannot be true at the same time`,
    ],
  ],
  [
    "success lasts",
    { conditions: [condition("Running")] },
    { conditions: [condition("Succeeded")] },
    [
      `status.conditions: Invalid value: ${shown("Running")}: Success condition cannot be set to false once it is true`,
    ],
  ],
  [
    "failure lasts",
    {},
    { conditions: [condition("Failed")] },
    [
      "status.conditions: Invalid value: null: Failed condition cannot be set to false once it is true",
    ],
  ],
])("StorageVersionMigration: %s", (_, status, old, errors) => {
  expect(
    statusErrors(StorageVersionMigration, migration(pods, status), migration(pods, old)),
  ).toEqual(errors);
});

each<[rule: string, object: object, cells: readonly unknown[]]>([
  ["nothing is known at first", migration(pods), ["a", "pods", "Unknown"]],
  [
    "the last condition that holds is shown",
    migration(
      { group: "apps", resource: "deployments" },
      { conditions: [condition("Running"), condition("Failed", "False"), condition("Other")] },
    ),
    ["a", "deployments.apps", "Running"],
  ],
])("StorageVersionMigration: %s", (_, object, cells) => {
  const row = read(StorageVersionMigration, object);
  const { columns } = StorageVersionMigration;
  expect(columns.map((column) => column.cell(row as never, { now: 0 }))).toEqual(cells);
});
