import { Node } from "../../api/core/v1/node/node.ts";
import { isNodeReady } from "../../api/core/v1/node/node-state.ts";
import { isTaintedOutOfService } from "../../api/core/v1/scheduling/well-known-taint.ts";
import { csiKeyOfName } from "../../api/core/v1/volume/csi-volume-key.ts";
import { ignoreNotFound } from "../../client/ignore-not-found.ts";
import type { ReconcileResult } from "../../controller-runtime/reconcile/controller-definition.ts";
import { attach } from "./attach-step.ts";
import { volumeNote } from "./attachment-notes.ts";
import { attachmentState } from "./attachment-state.ts";
import { detach, type PlannedDetachment } from "./detach-step.ts";
import { memoryKey, type NodeContext } from "./node-context.ts";
import type { NodeView } from "./node-view.ts";
import { planDetachment } from "./plan-detachment.ts";

/** Takes the next step with each volume of a node: detaching comes first, as other nodes wait for it. */
export async function reconcileNode(
  view: NodeView,
  ctx: NodeContext,
): Promise<ReconcileResult | undefined> {
  const waits: number[] = [];
  remember(view, ctx);
  const detachments = planDetachments(view, ctx, waits);
  const latest = await report(view, { ctx, detachments });
  for (const detachment of detachments) await detach(detachment, latest, ctx);
  if (view.node)
    for (const wanted of view.wanted.values()) waits.push(...(await attach(wanted, view, ctx)));
  const requeueAfterMs = Math.min(...waits);
  return Number.isFinite(requeueAfterMs) ? { requeueAfterMs } : undefined;
}

/** Keeps only what is still true of a node. */
function remember(
  { node, wanted, attachments }: NodeView,
  { name, memory, metrics, clock }: NodeContext,
): void {
  const { unwantedSince, told, lastInUse, attempts, detachingSince } = memory;
  const isOther = (key: string): boolean => !key.startsWith(`${name}/`);
  const isWanted = (key: string): boolean => wanted.has(key.slice(name.length + 1));
  const unwanted = new Set(
    attachments.filter((one) => !one.isWanted).map((one) => memoryKey(name, one.uniqueName)),
  );
  for (const key of told) if (!isOther(key) && !isWanted(key)) told.delete(key);
  for (const key of unwantedSince.keys())
    if (!isOther(key) && !unwanted.has(key)) unwantedSince.delete(key);
  attempts.keep((key) => isOther(key) || isWanted(key));
  const attached = new Set(attachments.map((one) => memoryKey(name, one.uniqueName)));
  for (const [key, since] of detachingSince) {
    if (isOther(key) || attached.has(key)) continue;
    detachingSince.delete(key);
    const { driver = "" } = csiKeyOfName(key.slice(name.length + 1)) ?? {};
    metrics.ended("volume_detach", driver, { isFailed: false, ms: clock.now() - since });
  }
  if (node) lastInUse.set(name, new Set(node.status.volumesInUse));
  else if (attachments.length === 0) lastInUse.delete(name);
}

function planDetachments(
  { node, attachments }: NodeView,
  { name, memory, clock, forcesOnTimeout }: NodeContext,
  waits: number[],
): readonly PlannedDetachment[] {
  const planned: PlannedDetachment[] = [];
  for (const attachment of attachments) {
    const { object, uniqueName, isWanted } = attachment;
    if (isWanted || object.metadata.deletionTimestamp) continue;
    const key = memoryKey(name, uniqueName);
    const since = memory.unwantedSince.get(key) ?? clock.now();
    memory.unwantedSince.set(key, since);
    const plan = planDetachment({
      // Nobody knows what a node uses that has not been seen.
      isInUse: memory.lastInUse.get(name)?.has(uniqueName) ?? true,
      isHealthy: node !== undefined && isNodeReady(node),
      isOutOfService: node !== undefined && isTaintedOutOfService(node),
      unwantedMs: clock.now() - since,
      forcesOnTimeout,
    });
    if (plan.type === "detach")
      planned.push({ attachment, ...(plan.forced && { forced: plan.forced }) });
    else if (plan.ms !== undefined) waits.push(plan.ms);
  }
  return planned;
}

/**
 * Writes what is attached to the status of the node, without what is about to be detached: the kubelet mounts
 * nothing that is not listed. Returns the node as it is after that write; undefined without one.
 */
async function report(
  { node, wanted, attachments }: NodeView,
  {
    ctx: { name, client, signal, events, memory, metrics, clock },
    detachments,
  }: { readonly ctx: NodeContext; readonly detachments: readonly PlannedDetachment[] },
): Promise<Node | undefined> {
  if (!node) return undefined;
  const leaving = new Set(detachments.map(({ attachment }) => attachment.uniqueName));
  const { volumesAttached = [] } = node.status;
  const others = volumesAttached.filter((one) => !csiKeyOfName(one.name));
  const attached = attachments
    .filter(({ object }) => attachmentState(object).type === "attached")
    .map(({ uniqueName }) => uniqueName)
    .filter((uniqueName) => !leaving.has(uniqueName));
  const before = new Set(volumesAttached.map((one) => one.name));
  const isSame =
    attached.every((one) => before.has(one)) && before.size === attached.length + others.length;
  let latest: Node | undefined;
  if (!isSame) {
    const ours = [...attached].sort().map((one) => ({ name: one, devicePath: "" }));
    const status = { volumesAttached: [...others, ...ours] };
    const merge = { merge: { status } };
    latest = await ignoreNotFound(
      client.patch(Node, { name }, merge, { subresource: "status", signal }),
    );
  }
  for (const uniqueName of attached) {
    const found = wanted.get(uniqueName);
    if (!found) continue;
    const key = memoryKey(name, uniqueName);
    const since = memory.attempts.since(key);
    memory.attempts.end(key);
    memory.told.delete(key);
    if (before.has(uniqueName)) continue;
    const { volume, pods } = found;
    if (since !== undefined)
      metrics.ended("volume_attach", volume.driver, { isFailed: false, ms: clock.now() - since });
    const note = volumeNote("AttachVolume.Attach succeeded", volume.name);
    for (const pod of pods)
      events.record(pod, { type: "Normal", reason: "SuccessfulAttachVolume", note });
  }
  return latest;
}
