import { Pod } from "../../api/core/v1/pod/pod.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { keyOf } from "../../client/resource-kind.ts";
import type { ReconcileContext } from "../../controller-runtime/reconcile/controller-definition.ts";

/** Keeps a pod until the job controller has counted it. */
export const trackingFinalizer = "batch.kubernetes.io/job-tracking";

/** Whether the job controller has not let go of a pod yet. */
export const isTracked = ({ metadata }: Pod): boolean =>
  metadata.finalizers?.includes(trackingFinalizer) ?? false;

/**
 * Removes the finalizer of a pod; a pod that is gone has none. `isUnchanged`: fails with a conflict if the pod
 * has changed, because it may have ended since.
 */
export async function releasePod(
  { client, signal }: Pick<ReconcileContext, "client" | "signal">,
  pod: Pod,
  { isUnchanged = false }: { readonly isUnchanged?: boolean } = {},
): Promise<void> {
  if (!isTracked(pod)) return;
  const { resourceVersion } = pod.metadata;
  const metadata = {
    ...(isUnchanged && { resourceVersion }),
    "$deleteFromPrimitiveList/finalizers": [trackingFinalizer],
  };
  try {
    await client.patch(Pod, keyOf(pod), { strategic: { metadata } as never }, { signal });
  } catch (error) {
    if (!StatusError.is(error, "NotFound")) throw error;
  }
}
