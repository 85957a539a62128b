import { Node } from "../../api/core/v1/node/node.ts";
import { VolumeAttachment } from "../../api/storage/v1/volume-attachment.ts";
import { ignoreNotFound } from "../../client/ignore-not-found.ts";
import { memoryKey, type NodeContext } from "./node-context.ts";
import type { KnownAttachment } from "./node-view.ts";
import type { ForcedBecause } from "./plan-detachment.ts";

export interface PlannedDetachment {
  readonly attachment: KnownAttachment;
  readonly forced?: ForcedBecause;
}

/**
 * Deletes an attachment, which has the driver detach the volume. Unless it is forced, the node is read again once
 * the volume is not reported as attached any more: the kubelet may have begun to use it before that.
 */
export async function detach(
  { attachment, forced }: PlannedDetachment,
  reported: Node | undefined,
  { name, client, signal, log, metrics, memory, clock }: NodeContext,
): Promise<void> {
  const { uniqueName, object } = attachment;
  if (forced) {
    metrics.forced(forced);
    log.info("detaching a volume by force", { node: name, volume: uniqueName, because: forced });
  } else {
    const node = reported ?? (await ignoreNotFound(client.get(Node, { name }, { signal })));
    if (node?.status.volumesInUse?.includes(uniqueName)) {
      log.debug("a volume is in use again", { node: name, volume: uniqueName });
      return;
    }
  }
  memory.detachingSince.set(memoryKey(name, uniqueName), clock.now());
  const { uid, name: attachmentName = "" } = object.metadata;
  const key = { name: attachmentName };
  await ignoreNotFound(client.delete(VolumeAttachment, key, { preconditions: { uid }, signal }));
}
