import { PersistentVolumeClaim } from "../../../../api/core/v1/volume/persistent-volume-claim.ts";
import {
  withoutResizeConditions,
  withTrueCondition,
} from "../../../../api/core/v1/volume/resize-conditions.ts";
import type { Client } from "../../../../client/client.ts";
import { timeText } from "../../../pod/container/container-statuses.ts";

/** What a node notes in a claim of the growth of its volume. */
export type ResizeNote =
  | { readonly type: "begun" }
  | { readonly type: "finished"; readonly size: string }
  /** One that is not feasible is not tried again. */
  | { readonly type: "failed"; readonly why: string; readonly isInfeasible: boolean };

/** The status of a claim with a note, as a patch. */
export function notedStatus({ status }: PersistentVolumeClaim, note: ResizeNote, now: number) {
  switch (note.type) {
    case "begun":
      return { allocatedResourceStatuses: { storage: "NodeResizeInProgress" } };
    case "finished":
      return {
        capacity: { storage: note.size },
        allocatedResourceStatuses: { storage: null },
        conditions: withoutResizeConditions(status.conditions),
      };
    case "failed":
      return {
        ...(note.isInfeasible && {
          allocatedResourceStatuses: { storage: "NodeResizeInfeasible" },
        }),
        conditions: withTrueCondition(status.conditions, errorCondition(note.why, now)),
      };
  }
}

const errorCondition = (why: string, now: number) => ({
  ...{ type: "NodeResizeError", status: "True", lastTransitionTime: timeText(now) },
  message: `failed to expand pvc with ${why}`,
});

/** Writes a note; resolves with the claim as it is then. A claim that changed meanwhile rejects it, unless it failed. */
export function noteResize(
  claim: PersistentVolumeClaim,
  note: ResizeNote,
  { client, now }: { readonly client: Client; readonly now: number },
): Promise<PersistentVolumeClaim> {
  const { name, namespace, resourceVersion } = claim.metadata;
  const isChecked = note.type !== "failed";
  const merge = {
    ...(isChecked && { metadata: { resourceVersion } }),
    status: notedStatus(claim, note, now),
  };
  const key = { name: name ?? "", namespace: namespace ?? "" };
  return client.patch(
    PersistentVolumeClaim,
    key,
    { merge: merge as never },
    { subresource: "status" },
  );
}
