import type { Condition } from "../../api/meta/v1/condition.ts";
import type { GroupResource } from "../../api/meta/v1/group-resource.ts";
import type { StorageVersionMigration } from "../../api/storagemigration/v1beta1/storage-version-migration.ts";
import type { Clock } from "../../base/clock.ts";
import {
  findCondition,
  isConditionTrue,
  withCondition,
} from "../../controller-runtime/objects/conditions.ts";

/** What a migration is to be told next, all migrations of its resource considered. */
export interface MigrationPlan {
  /** Those that have ended and do not say so yet. */
  readonly toEnd: readonly StorageVersionMigration[];
  /** The one that begins: the oldest, when no other one runs. */
  readonly toBegin: StorageVersionMigration | undefined;
}

/** Migrations of one resource run one after the other. */
export function planMigrations(
  migrations: readonly StorageVersionMigration[],
  resource: GroupResource,
): MigrationPlan {
  const own = migrations.filter(({ spec }) => isSameResource(spec.resource, resource));
  const running = own.filter(isRunning);
  const waiting = own.filter((one) => !isRunning(one) && !hasEnded(one));
  const isBusy = running.some((one) => !hasEnded(one));
  const [oldest] = waiting.sort(byAge);
  return { toEnd: running.filter(hasEnded), toBegin: isBusy ? undefined : oldest };
}

export const isRunning = ({ status }: StorageVersionMigration): boolean =>
  isConditionTrue(status.conditions, "Running");

/** Whether it has succeeded or failed. */
export const hasEnded = ({ status }: StorageVersionMigration): boolean =>
  isConditionTrue(status.conditions, "Succeeded") || isConditionTrue(status.conditions, "Failed");

/** `PLURAL.GROUP`, or the plural alone. */
export const resourceText = ({ group, resource }: GroupResource): string =>
  group ? `${resource}.${group}` : resource;

const isSameResource = (a: GroupResource, b: GroupResource): boolean =>
  a.group === b.group && a.resource === b.resource;

function byAge(a: StorageVersionMigration, b: StorageVersionMigration): number {
  const key = ({ metadata: { creationTimestamp = "", name = "" } }: StorageVersionMigration) => [
    creationTimestamp,
    name,
  ];
  const [created, name] = [key(a), key(b)];
  for (const [i, text] of created.entries()) {
    const other = name[i] as string;
    if (text !== other) return text < other ? -1 : 1;
  }
  return 0;
}

/** The migration with a condition that is true; a condition that has been decided stays as it is. */
export function withReached(
  migration: StorageVersionMigration,
  condition: Pick<Condition, "type" | "reason" | "message">,
  clock: Pick<Clock, "now">,
): StorageVersionMigration {
  const { conditions } = migration.status;
  const status = findCondition(conditions, condition.type)?.status;
  if (status === "True" || status === "False") return migration;
  const next = withCondition(conditions, { ...condition, status: "True" } as Condition, clock);
  return { ...migration, status: { ...migration.status, conditions: next } };
}

/** The migration that has ended, and says that it no longer runs. */
export function withoutRunning(
  migration: StorageVersionMigration,
  clock: Pick<Clock, "now">,
): StorageVersionMigration {
  const { generation } = migration.metadata;
  const condition = {
    type: "Running",
    status: "False",
    reason: "MigrationCompleted",
    message: "Migration completed",
    ...(generation !== undefined && generation > 0 && { observedGeneration: generation }),
  } as Condition;
  const conditions = withCondition(migration.status.conditions, condition, clock);
  return { ...migration, status: { ...migration.status, conditions } };
}
