import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { attachmentName } from "../../api/core/v1/volume/csi-volume-key.ts";
import { VolumeAttachment } from "../../api/storage/v1/volume-attachment.ts";
import { multiAttachNote, volumeNote } from "./attachment-notes.ts";
import { type AttachmentState, attachmentState } from "./attachment-state.ts";
import { memoryKey, type NodeContext } from "./node-context.ts";
import type { NodeView } from "./node-view.ts";
import { otherNodes } from "./other-nodes.ts";
import type { WantedVolume } from "./wanted-volumes.ts";

/** Asks for a volume to be attached, or tells pods why it is not yet; returns after how many milliseconds to look again. */
export async function attach(
  wanted: WantedVolume,
  { attachments }: NodeView,
  ctx: NodeContext,
): Promise<readonly number[]> {
  const { volume } = wanted;
  const found = attachments.find(({ uniqueName }) => uniqueName === volume.uniqueName);
  const state = attachmentState(found?.object);
  if (state.type === "attached") return [];
  if (state.type === "absent") {
    if (volume.isExclusive && !(await isFree(wanted, ctx))) return [];
    await ask(wanted, ctx);
  }
  return tell(wanted, state, ctx);
}

/** Whether no other node has an exclusive volume; tells the pods once if one has. */
async function isFree({ volume, pods }: WantedVolume, ctx: NodeContext): Promise<boolean> {
  const others = await otherNodes(volume, ctx.name, ctx.cache);
  const { told } = ctx.memory;
  const key = memoryKey(ctx.name, volume.uniqueName);
  if (others.type === "taken" && !told.has(key)) {
    told.add(key);
    for (const pod of pods) fail(pod, multiAttachNote(pod, volume.name, others.users), ctx);
  }
  return others.type === "free";
}

async function ask({ volume }: WantedVolume, { name, client, signal }: NodeContext): Promise<void> {
  const attachment = {
    metadata: { name: attachmentName(volume, name) },
    spec: {
      attacher: volume.driver,
      nodeName: name,
      source: { persistentVolumeName: volume.name },
    },
  };
  await client.create(VolumeAttachment, attachment, { signal });
}

/** Tells pods what keeps the attacher from attaching their volume. */
function tell(
  { volume, pods }: WantedVolume,
  state: AttachmentState,
  ctx: NodeContext,
): readonly number[] {
  const { clock, memory, metrics, name } = ctx;
  const outcome = memory.attempts.look(memoryKey(name, volume.uniqueName), {
    now: clock.now(),
    failure: state.type === "failed" ? state.message : undefined,
    silence:
      state.type === "leaving"
        ? "volume attachment is being deleted"
        : `timed out waiting for external-attacher of ${volume.driver} CSI driver to attach volume ${volume.handle}`,
  });
  if (outcome.told !== undefined) {
    const note = volumeNote("AttachVolume.Attach failed", volume.name, `: ${outcome.told}`);
    for (const pod of pods) fail(pod, note, ctx);
    metrics.ended("volume_attach", volume.driver, { isFailed: true, ms: 0 });
  }
  return [outcome.nextMs];
}

function fail(pod: Pod, note: string, { events }: NodeContext): void {
  events.record(pod, { type: "Warning", reason: "FailedAttachVolume", note });
}
