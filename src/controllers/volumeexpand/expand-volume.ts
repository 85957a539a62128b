import { PersistentVolume } from "../../api/core/v1/volume/persistent-volume.ts";
import { PersistentVolumeClaim } from "../../api/core/v1/volume/persistent-volume-claim.ts";
import {
  withoutResizeConditions,
  withTrueCondition,
} from "../../api/core/v1/volume/resize-conditions.ts";
import { errorMessage } from "../../base/error-message.ts";
import { formatKeyOf, keyOf } from "../../client/resource-kind.ts";
import type { ReconcileContext } from "../../controller-runtime/reconcile/controller-definition.ts";
import { formatTime, timeFromMillis } from "../../schema/values/time.ts";
import { type ExpansionPlan, preResizeCapacity } from "./plan-expansion.ts";

type Claim = PersistentVolumeClaim;
type ClaimChange = Readonly<Record<string, unknown>>;

/** A claim and its volume. */
export interface BoundPair {
  readonly claim: Claim;
  readonly volume: PersistentVolume;
}

const resizerAnnotation = "volume.kubernetes.io/storage-resizer";

/** Does what was decided about the size of a volume. */
export async function carryOut(
  plan: ExpansionPlan,
  { claim, volume }: BoundPair,
  ctx: ReconcileContext,
): Promise<void> {
  switch (plan.type) {
    case "nothing":
      return;
    case "external":
      return leave(plan, claim, ctx);
    case "forget former size":
      await annotate(volume, null, ctx);
      return;
    case "wait for node":
      return waitForNode({ claim, volume }, ctx);
    case "expand":
      try {
        await expand(plan, { claim, volume }, ctx);
      } catch (error) {
        const note = errorMessage(error);
        ctx.events.record(claim, { type: "Warning", reason: "VolumeResizeFailed", note });
        throw error;
      }
  }
}

/** Leaves a volume to another program, and says so. */
async function leave(
  { plugin, driver }: ExpansionPlan & { readonly type: "external" },
  claim: Claim,
  ctx: ReconcileContext,
): Promise<void> {
  const note = plugin
    ? `CSI migration enabled for ${plugin}; waiting for external resizer to expand the pvc`
    : "waiting for an external controller to expand this PVC";
  ctx.events.record(claim, { type: "Normal", reason: "ExternalExpanding", note });
  if (driver && claim.metadata.annotations?.[resizerAnnotation] !== driver)
    await patchStatus(claim, { metadata: { annotations: { [resizerAnnotation]: driver } } }, ctx);
}

/** Records the new size; the node makes use of it when it mounts a file system. */
async function expand(
  { size, resizer }: ExpansionPlan & { readonly type: "expand" },
  { claim, volume }: BoundPair,
  ctx: ReconcileContext,
): Promise<void> {
  const name = formatKeyOf(claim);
  const begun = await named(`error updating pvc ${name} with resize in progress`, () =>
    patchStatus(
      claim,
      {
        metadata: { annotations: { [resizerAnnotation]: resizer } },
        status: {
          conditions: withTrueCondition(keptResizing(claim), condition("Resizing", ctx)),
          allocatedResourceStatuses: { storage: "ControllerResizeInProgress" },
          allocatedResources: { storage: size },
        },
      },
      ctx,
    ),
  );
  const grown = await named(`error updating pv for pvc ${name}`, () =>
    ctx.client.patch(
      PersistentVolume,
      keyOf(volume),
      { merge: { spec: { capacity: { storage: size } } } },
      { signal: ctx.signal },
    ),
  );
  if (volume.spec.volumeMode !== "Block") {
    await named(`error marking pvc ${name} for node expansion`, () =>
      waitForNode({ claim: begun, volume: grown }, ctx),
    );
    return;
  }
  await named(`error marking pvc ${name} as resized`, () =>
    patchStatus(
      begun,
      {
        status: {
          capacity: { storage: size },
          allocatedResourceStatuses: { storage: null },
          conditions: withoutResizeConditions(begun.status.conditions),
        },
      },
      ctx,
    ),
  );
  const note = `ExpandVolume succeeded for volume ${name}`;
  ctx.events.record(claim, { type: "Normal", reason: "VolumeResizeSuccessful", note });
}

/** Says that the node has to grow the file system, and has the volume remember the former size. */
async function waitForNode({ claim, volume }: BoundPair, ctx: ReconcileContext): Promise<void> {
  const pending = condition("FileSystemResizePending", ctx, waiting);
  await patchStatus(
    claim,
    {
      status: {
        allocatedResourceStatuses: { storage: "NodeResizePending" },
        conditions: withTrueCondition(claim.status.conditions, pending),
      },
    },
    ctx,
  );
  if (volume.metadata.annotations?.[preResizeCapacity] === undefined)
    await annotate(volume, claim.status.capacity?.storage ?? "0", ctx);
}

const waiting =
  "Waiting for user to (re-)start a pod to finish file system resize of volume on node.";

const keptResizing = ({ status: { conditions } }: Claim) => [
  ...withoutResizeConditions(conditions),
  ...(conditions ?? []).filter(({ type }) => type === "Resizing"),
];

const condition = (type: string, { clock }: ReconcileContext, message?: string) => ({
  type,
  status: "True",
  lastTransitionTime: formatTime(timeFromMillis(clock.now())),
  ...(message && { message }),
});

const annotate = (
  volume: PersistentVolume,
  size: string | null,
  { client, signal }: ReconcileContext,
): Promise<PersistentVolume> =>
  client.patch(
    PersistentVolume,
    keyOf(volume),
    { merge: { metadata: { annotations: { [preResizeCapacity]: size } } } as never },
    { signal },
  );

/** Changes annotations and status of a claim, unless it has changed. */
const patchStatus = (
  claim: Claim,
  { metadata = {}, status }: { readonly metadata?: ClaimChange; readonly status?: ClaimChange },
  { client, signal }: ReconcileContext,
): Promise<Claim> => {
  const { resourceVersion } = claim.metadata;
  const merge = { metadata: { ...metadata, resourceVersion }, ...(status && { status }) };
  return client.patch(
    PersistentVolumeClaim,
    keyOf(claim),
    { merge: merge as never },
    { subresource: "status", signal },
  );
};

/** Says what failed. */
async function named<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Error(`${what}: ${errorMessage(error)}`, { cause: error });
  }
}
