import { Node } from "../../api/core/v1/node/node.ts";
import { selectedNode, storageProvisioner } from "../../api/core/v1/volume/binding-annotations.ts";
import { classOfClaim } from "../../api/core/v1/volume/match-volume.ts";
import { PersistentVolume } from "../../api/core/v1/volume/persistent-volume.ts";
import { PersistentVolumeClaim } from "../../api/core/v1/volume/persistent-volume-claim.ts";
import { localProvisioner as provisioner } from "../../api/core/v1/volume/wherry-local-volume.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { StorageClass } from "../../api/storage/v1/storage-class.ts";
import { controller } from "../../controller-runtime/reconcile/controller.ts";
import type { ReconcileContext } from "../../controller-runtime/reconcile/controller-definition.ts";
import { localVolume, localVolumeName, unsuitable } from "./local-volume.ts";

/** Makes volumes for claims whose class has our provisioner: each is a folder of the node of the first pod. */
export const localProvisioner = controller({
  name: "local-volume-provisioner-controller",
  for: PersistentVolumeClaim,
  predicates: [({ type, object }) => type !== "deleted" && isWaiting(object)],

  async reconcile(key, ctx) {
    const { cache, client, events, signal } = ctx;
    const claim = await cache.get(PersistentVolumeClaim, key);
    if (!claim || !isWaiting(claim)) return;
    const name = localVolumeName(claim);
    if (await cache.get(PersistentVolume, { name })) return;
    const storageClass = await cache.get(StorageClass, { name: classOfClaim(claim) });
    if (!storageClass) return;
    const nodeName = claim.metadata.annotations?.[selectedNode];
    const why = nodeName === undefined ? waits : unsuitable(claim);
    if (why !== undefined) return failed(claim, storageClass, { why, ctx });
    const node = await cache.get(Node, { name: nodeName ?? "" });
    if (!node) return chooseAgain(claim, ctx);
    try {
      await client.create(PersistentVolume, localVolume({ claim, storageClass, node }), { signal });
    } catch (error) {
      if (!StatusError.is(error, "AlreadyExists")) throw error;
    }
    const note = `Successfully provisioned volume ${name}`;
    events.record(claim, { type: "Normal", reason: "ProvisioningSucceeded", note });
  },
});

const waits = "the class must wait for a pod (volumeBindingMode: WaitForFirstConsumer)";

const isWaiting = ({ metadata, spec }: PersistentVolumeClaim): boolean =>
  !metadata.deletionTimestamp &&
  !spec.volumeName &&
  metadata.annotations?.[storageProvisioner] === provisioner;

function failed(
  claim: PersistentVolumeClaim,
  { metadata }: StorageClass,
  { why, ctx }: { readonly why: string; readonly ctx: ReconcileContext },
): void {
  const note = `failed to provision volume with StorageClass "${metadata.name}": ${why}`;
  ctx.events.record(claim, { type: "Warning", reason: "ProvisioningFailed", note });
}

/** The node is gone: the scheduler chooses another one. */
async function chooseAgain(
  claim: PersistentVolumeClaim,
  { client, signal }: ReconcileContext,
): Promise<void> {
  const { [selectedNode]: _, ...annotations } = claim.metadata.annotations ?? {};
  const changed = { ...claim, metadata: { ...claim.metadata, annotations } };
  await client.update(PersistentVolumeClaim, changed, { signal });
}
