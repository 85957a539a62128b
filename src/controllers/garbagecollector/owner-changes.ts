import type { OwnerReference } from "../../api/meta/v1/object-meta.ts";
import { sameJson } from "../../schema/json/json-value.ts";

/** The changes of an object's owner references. */
export interface OwnerChanges {
  readonly added: readonly OwnerReference[];
  readonly removed: readonly OwnerReference[];
  readonly changed: readonly { readonly old: OwnerReference; readonly now: OwnerReference }[];
}

/** Compares references by uid; of old references with the same uid, the last one counts. */
export function ownerChanges(
  old: readonly OwnerReference[],
  now: readonly OwnerReference[],
): OwnerChanges {
  if (old === now) return none;
  const left = new Map(old.map((reference) => [reference.uid, reference]));
  const added: OwnerReference[] = [];
  const changed: { old: OwnerReference; now: OwnerReference }[] = [];
  for (const reference of now) {
    const before = left.get(reference.uid);
    if (before === undefined) {
      added.push(reference);
      continue;
    }
    if (!sameJson(before, reference)) changed.push({ old: before, now: reference });
    left.delete(reference.uid);
  }
  return { added, removed: [...left.values()], changed };
}

/** The uids of owners that are no longer blocked by this object. */
export const unblockedOwners = ({ removed, changed }: OwnerChanges): readonly string[] => [
  ...removed.filter(blocks).map(({ uid }) => uid),
  ...changed.filter(({ old, now }) => blocks(old) && !blocks(now)).map(({ now }) => now.uid),
];

/** Whether a reference blocks the foreground deletion of its owner. */
export const blocks = ({ blockOwnerDeletion }: OwnerReference): boolean =>
  blockOwnerDeletion === true;

const none: OwnerChanges = { added: [], removed: [], changed: [] };
