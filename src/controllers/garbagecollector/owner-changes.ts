import type { OwnerReference } from "../../api/meta/v1/object-meta.ts";
import { sameJson } from "../../schema/json/json-value.ts";

/** How the owners of an object differ from what they were. */
export interface OwnerChanges {
  readonly added: readonly OwnerReference[];
  readonly removed: readonly OwnerReference[];
  readonly changed: readonly { readonly old: OwnerReference; readonly now: OwnerReference }[];
}

/** Compares references by uid; of several that have the same, the last one of the old counts. */
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

/** The owners that wait for this object no longer: their uids. */
export const unblockedOwners = ({ removed, changed }: OwnerChanges): readonly string[] => [
  ...removed.filter(blocks).map(({ uid }) => uid),
  ...changed.filter(({ old, now }) => blocks(old) && !blocks(now)).map(({ now }) => now.uid),
];

/** Whether an owner's deletion in the foreground waits for who refers to it like that. */
export const blocks = ({ blockOwnerDeletion }: OwnerReference): boolean =>
  blockOwnerDeletion === true;

const none: OwnerChanges = { added: [], removed: [], changed: [] };
