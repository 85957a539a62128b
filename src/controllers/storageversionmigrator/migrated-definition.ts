import type { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import { findCondition } from "../../controller-runtime/objects/conditions.ts";

/** What is applied to the status of a definition while its objects are migrated. */
export interface AppliedStatus {
  readonly conditions: readonly object[];
  /** Only the version in which objects are stored now, once none is stored in another. */
  readonly storedVersions?: readonly string[];
}

/** Says that a migration runs; `now` is a time as conditions have it. */
export const beginning = (
  { metadata: { generation } }: CustomResourceDefinition,
  migration: string,
  now: string,
): AppliedStatus => ({
  conditions: [
    {
      type: "StorageMigrating",
      status: "True",
      lastTransitionTime: now,
      reason: "MigrationRunning",
      message: `Migration ${migration} is running`,
      observedGeneration: generation,
    },
  ],
});

/**
 * Says how a migration has ended. The stored versions are reduced if it succeeded and the definition is the one with
 * which it began: objects may be stored in another version otherwise. Upstream reduces them after a failure, too, so
 * that a version could be removed in which objects are stored.
 */
export function ending(
  { metadata: { generation }, spec, status }: CustomResourceDefinition,
  hasSucceeded: boolean,
  now: string,
): AppliedStatus {
  const begun = findCondition(status.conditions, "StorageMigrating");
  const isSame = begun !== undefined && (begun.observedGeneration ?? 0) === (generation ?? 0);
  const stored = spec.versions.find(({ storage }) => storage)?.name;
  const updated = isSame
    ? " and the stored versions have been updated"
    : " but the stored versions have not been updated due to a generation mismatch";
  return {
    conditions: [
      {
        type: "StorageMigrating",
        status: "False",
        lastTransitionTime: now,
        reason: hasSucceeded ? "MigrationSucceeded" : "MigrationFailed",
        message: hasSucceeded
          ? `The migration has succeeded${updated}`
          : "The migration has failed",
        observedGeneration: generation,
      },
    ],
    ...(hasSucceeded && isSame && stored !== undefined && { storedVersions: [stored] }),
  };
}
