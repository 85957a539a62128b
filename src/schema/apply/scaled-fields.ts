import { difference, type FieldSet, hasPath, isEmpty, setOf } from "./field-set.ts";
import {
  type ManagedFieldsEntry,
  type Managers,
  type Owned,
  readManagers,
  withOwn,
  writeManagers,
} from "./managers.ts";
import type { Path } from "./path-element.ts";

/** Where the versions of a kind have the number that a Scale shows. */
export interface ScaledKind {
  /** The version of the request. */
  readonly version: string;
  /** The path in a version; null where it has none, undefined where there is no such version. */
  replicasAt(version: string): Path | null | undefined;
}

const scaleVersion = "autoscaling/v1";
const replicas: Path = ["f:spec", "f:replicas"];

/** The managedFields of an object as its Scale has them: who owns the number. */
export function scaleFields(
  { replicasAt }: ScaledKind,
  entries: readonly ManagedFieldsEntry[] | undefined,
): ManagedFieldsEntry[] {
  const owners = new Map<string, Owned>();
  for (const [identity, owned] of readManagers(entries)) {
    const path = replicasAt(owned.version);
    if (path && hasPath(owned.set, path))
      owners.set(identity, {
        ...withOwn(owned, setOf([replicas])),
        version: scaleVersion,
      });
  }
  return writeManagers(owners);
}

/** The managedFields of an object after those of its Scale were written. */
export function scaledFields(
  { version, replicasAt }: ScaledKind,
  entries: readonly ManagedFieldsEntry[] | undefined,
  scaled: readonly ManagedFieldsEntry[] | undefined,
): ManagedFieldsEntry[] {
  const before = readManagers(entries);
  const owners = new Map(readManagers(scaled));
  const result = new Map<string, Owned>();
  for (const [identity, owned] of before) {
    const path = replicasAt(owned.version);
    if (path === undefined) continue;
    const set = path === null || owners.delete(identity) ? owned.set : without(owned.set, path);
    if (!isEmpty(set)) result.set(identity, withOwn(owned, set));
  }
  const path = replicasAt(version);
  if (path)
    for (const [identity, { set, isApplied }] of owners)
      if (hasPath(set, replicas))
        result.set(identity, {
          set: setOf([path]),
          version,
          isApplied,
          time: timeOf(before, identity),
        });
  return writeManagers(result);
}

const without = (set: FieldSet, path: Path): FieldSet => difference(set, setOf([path]));

/** The time of one who owned other fields before; a new owner has none, as upstream has it. */
const timeOf = (managers: Managers, identity: string): string | undefined =>
  managers.get(identity)?.time;
