import { union } from "../../../../schema/apply/field-set.ts";
import { readFields, writeFields } from "../../../../schema/apply/fields-v1.ts";
import type { ManagedFieldsEntry } from "../../../../schema/apply/managers.ts";
import { isMap, sameJson } from "../../../../schema/json/json-value.ts";
import { lastAppliedAnnotation } from "../../shared/saved-configuration.ts";

type Entries = readonly ManagedFieldsEntry[];

/** The managers that own the annotation with the configuration that was applied last. */
export function annotationOwners(
  entries: Entries,
  operation: "Apply" | "Update",
): readonly string[] {
  const path = ["f:metadata", "f:annotations", `f:${lastAppliedAnnotation}`];
  const owners = entries.filter((entry) => {
    if (entry.operation !== operation) return false;
    let value: unknown = entry.fieldsV1;
    for (const step of path) value = isMap(value) ? value[step] : undefined;
    return value !== undefined;
  });
  return [...new Set(owners.map(({ manager = "" }) => manager))];
}

/**
 * The managed fields after those of updates by `from` were given to the applying manager `to`; undefined if nothing
 * changes.
 */
export function migratedManagers(
  entries: Entries,
  from: readonly string[],
  to: string,
): Entries | undefined {
  let migrated = entries;
  for (const manager of from) migrated = withoutUpdatesOf(migrated, manager, to);
  return sameJson(migrated, entries) ? undefined : migrated;
}

function withoutUpdatesOf(entries: Entries, manager: string, to: string): Entries {
  const isOld = (entry: ManagedFieldsEntry): boolean =>
    entry.manager === manager && entry.operation === "Update" && (entry.subresource ?? "") === "";
  const isNew = (entry: ManagedFieldsEntry): boolean =>
    entry.manager === to && entry.operation === "Apply" && (entry.subresource ?? "") === "";
  // The latest entry is the first.
  let at = entries.findIndex(isNew);
  const becomes = at < 0 ? { manager: to, operation: "Apply" } : {};
  if (at < 0) at = entries.findIndex(isOld);
  const target = entries[at];
  if (!target) return entries;
  const sameVersion = entries.find((entry, index) => {
    const stillOld = index !== at || isNew(entry);
    return stillOld && isOld(entry) && entry.apiVersion === target.apiVersion;
  });
  const own = readFields(target.fieldsV1);
  const fieldsV1 = writeFields(sameVersion ? union(own, readFields(sameVersion.fieldsV1)) : own);
  return entries.with(at, { ...target, ...becomes, fieldsV1 }).filter((entry) => !isOld(entry));
}
