import { Pod } from "../api/core/v1/pod.ts";
import { StatusError } from "../api/meta/v1/status-error.ts";
import { type KubernetesObject, keyOf, type ResourceKind } from "../client/resource-kind.ts";
import type { ReconcileContext } from "../controller-runtime/controller.ts";
import { claimOf } from "./claim.ts";

export interface PodClaims<O extends KubernetesObject> {
  readonly kind: ResourceKind<O>;
  readonly owner: O;
  readonly matches: (pod: Pod) => boolean;
}

/**
 * The pods that are the owner's: those that it controls, and orphans that it means, which it adopts. What
 * it does not mean any more it releases. Before it adopts anything, it makes sure that it still exists.
 */
export async function claimPods<O extends KubernetesObject>(
  ctx: ReconcileContext,
  { kind, owner, matches }: PodClaims<O>,
  pods: readonly Pod[],
): Promise<readonly Pod[]> {
  const claimed: Pod[] = [];
  const faults: unknown[] = [];
  let mayAdopt: Promise<void> | undefined;
  for (const pod of pods) {
    const claim = claimOf(pod, owner, matches(pod));
    if (claim === "owned") claimed.push(pod);
    try {
      if (claim === "adopt") {
        mayAdopt ??= stillThere(ctx, kind, owner);
        await mayAdopt.catch((error: Error) => {
          const { namespace, name, uid } = pod.metadata;
          throw new Error(`can't adopt Pod ${namespace}/${name} (${uid}): ${error.message}`);
        });
        await adopt(ctx, pod, owner);
        claimed.push(pod);
      }
      if (claim === "release") await release(ctx, pod, owner);
    } catch (error) {
      if (!StatusError.is(error, "NotFound")) faults.push(error);
    }
  }
  if (faults.length === 1) throw faults[0];
  if (faults.length > 1)
    throw new AggregateError(faults, `${faults.length} pods cannot be claimed`);
  return claimed;
}

async function stillThere<O extends KubernetesObject>(
  { client, signal }: ReconcileContext,
  kind: ResourceKind<O>,
  { metadata }: O,
): Promise<void> {
  const { namespace, name = "", uid } = metadata;
  const fresh = await client.get(kind, { namespace, name }, { signal });
  if (fresh.metadata.uid !== uid)
    throw new Error(
      `original ${kind.kind} ${namespace}/${name} is gone: got uid ${fresh.metadata.uid}, wanted ${uid}`,
    );
  const { deletionTimestamp } = fresh.metadata;
  if (deletionTimestamp !== undefined)
    throw new Error(`${namespace}/${name} has just been deleted at ${deletionTimestamp}`);
}

/** The uid makes sure that it is this very pod; the server refuses a second controller. */
async function adopt(
  { client, signal }: ReconcileContext,
  pod: Pod,
  { apiVersion, kind, metadata }: KubernetesObject,
): Promise<void> {
  const { name = "", uid = "" } = metadata;
  const reference = { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
  const change = { uid: pod.metadata.uid, ownerReferences: [reference] };
  await client.patch(Pod, keyOf(pod), { strategic: { metadata: change } }, { signal });
}

async function release(
  { client, signal }: ReconcileContext,
  pod: Pod,
  { metadata }: KubernetesObject,
): Promise<void> {
  const gone = { $patch: "delete", uid: metadata.uid ?? "" };
  const change = { uid: pod.metadata.uid, ownerReferences: [gone as never] };
  try {
    await client.patch(Pod, keyOf(pod), { strategic: { metadata: change } }, { signal });
  } catch (error) {
    // It has no owner any more, or is another pod of the same name.
    if (!StatusError.is(error, "Invalid")) throw error;
  }
}
