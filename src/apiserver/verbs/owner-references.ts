import { sameJson } from "../../schema/json/json-value.ts";
import type { ObjectDraft } from "../objects/object.ts";

/** Removes duplicate owners, and warns the client; `when` is empty before admission. */
export function dropRepeatedOwners(
  { metadata }: ObjectDraft,
  warnings: string[],
  when: "" | " after mutating admission happens" = "",
): void {
  const owners = metadata.ownerReferences ?? [];
  const kept: typeof owners = [];
  const repeated: string[] = [];
  for (const owner of owners) {
    if (kept.some((other) => sameJson(other, owner))) repeated.push(owner.uid);
    else kept.push(owner);
  }
  if (repeated.length === 0) return;
  metadata.ownerReferences = kept;
  warnings.push(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${repeated.join(", ")}`,
  );
}
