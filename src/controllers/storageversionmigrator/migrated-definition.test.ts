import { expect, test } from "vitest";
import type { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import { beginning, ending } from "./migrated-definition.ts";

const now = "2026-01-01T00:00:00Z";

const definition = (observed?: number) =>
  ({
    metadata: { name: "widgets.example.com", generation: 2 },
    spec: {
      versions: [
        { name: "v1", storage: false },
        { name: "v2", storage: true },
      ],
    },
    status: {
      storedVersions: ["v1", "v2"],
      conditions:
        observed === undefined
          ? []
          : [{ type: "StorageMigrating", status: "True", observedGeneration: observed }],
    },
  }) as unknown as CustomResourceDefinition;

test("beginning: names the migration", () => {
  expect(beginning(definition(), "widgets", now)).toEqual({
    conditions: [
      {
        type: "StorageMigrating",
        status: "True",
        lastTransitionTime: now,
        reason: "MigrationRunning",
        message: "Migration widgets is running",
        observedGeneration: 2,
      },
    ],
  });
});

const succeeded = "The migration has succeeded";
const mismatch = `${succeeded} but the stored versions have not been updated due to a generation mismatch`;

test.each([
  [
    "success",
    2,
    true,
    "MigrationSucceeded",
    `${succeeded} and the stored versions have been updated`,
    ["v2"],
  ],
  ["a definition that has changed", 1, true, "MigrationSucceeded", mismatch, undefined],
  ["a definition without a beginning", undefined, true, "MigrationSucceeded", mismatch, undefined],
  ["failure", 2, false, "MigrationFailed", "The migration has failed", undefined],
])("ending: %s", (_, observed, hasSucceeded, reason, message, storedVersions) => {
  const status = ending(definition(observed), hasSucceeded, now);
  expect(status.conditions).toMatchObject([{ status: "False", reason, message }]);
  expect(status.storedVersions).toEqual(storedVersions);
});
