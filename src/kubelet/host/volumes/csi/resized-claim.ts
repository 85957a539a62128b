import { PersistentVolumeClaim } from "../../../../api/core/v1/volume/persistent-volume-claim.ts";
import type { PersistentVolumeClaimCondition } from "../../../../api/core/v1/volume/persistent-volume-claim-status.ts";
import type { Client } from "../../../../client/client.ts";
import { timeText } from "../../../pod/container/container-statuses.ts";

type Conditions = readonly PersistentVolumeClaimCondition[];

/** What a node notes in a claim of the growth of its volume. */
export type ResizeNote =
  | { readonly type: "begun" }
  | { readonly type: "finished"; readonly size: string }
  /** One that is not feasible is not tried again. */
  | { readonly type: "failed"; readonly why: string; readonly isInfeasible: boolean };

/** The status of a claim with a note, as a patch. */
export function notedStatus({ status }: PersistentVolumeClaim, note: ResizeNote, now: number) {
  const { conditions = [] } = status;
  switch (note.type) {
    case "begun":
      return { allocatedResourceStatuses: { storage: "NodeResizeInProgress" } };
    case "finished":
      return {
        capacity: { storage: note.size },
        allocatedResourceStatuses: { storage: null },
        conditions: conditions.filter(({ type }) => !ofResize.has(type)),
      };
    case "failed":
      return {
        ...(note.isInfeasible && {
          allocatedResourceStatuses: { storage: "NodeResizeInfeasible" },
        }),
        conditions: withError(conditions, note.why, now),
      };
  }
}

/** An error that is known already keeps its time and its message. */
function withError(conditions: Conditions, why: string, now: number) {
  const type = "NodeResizeError";
  const others = conditions.filter((one) => one.type !== type);
  const known = conditions.find((one) => one.type === type);
  if (known?.status === "True") return conditions;
  const message = `failed to expand pvc with ${why}`;
  return [...others, { type, status: "True", lastTransitionTime: timeText(now), message }];
}

const ofResize: ReadonlySet<string> = new Set([
  ...["Resizing", "FileSystemResizePending", "ControllerResizeError", "NodeResizeError"],
]);

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
