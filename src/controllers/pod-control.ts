import { Pod } from "../api/core/v1/pod/pod.ts";
import { StatusError } from "../api/meta/v1/status-error.ts";
import { errorMessage } from "../base/error-message.ts";
import { type KubernetesObject, keyOf } from "../client/resource-kind.ts";
import type { ReconcileContext } from "../controller-runtime/reconcile/controller-definition.ts";
import { isNamespaceGoing } from "./namespace-going.ts";
import type { podFromTemplate } from "./pod-from-template.ts";

/** Creates a pod of an owner, and records an event of the owner. Nothing is created in a namespace that is being deleted. */
export async function createPod(
  { client, events, signal }: ReconcileContext,
  owner: KubernetesObject,
  pod: ReturnType<typeof podFromTemplate>,
): Promise<void> {
  try {
    const created = await client.create(Pod, pod, { signal });
    const note = `Created pod: ${created.metadata.name}`;
    events.record(owner, { type: "Normal", reason: "SuccessfulCreate", note });
  } catch (error) {
    if (isNamespaceGoing(error)) return;
    const note = `Error creating: ${errorMessage(error)}`;
    events.record(owner, { type: "Warning", reason: "FailedCreate", note });
    throw error;
  }
}

/** Deletes a pod of an owner, and records an event of the owner. */
export async function deletePod(
  { client, events, signal }: ReconcileContext,
  owner: KubernetesObject,
  pod: Pod,
): Promise<void> {
  const { name, uid } = pod.metadata;
  try {
    await client.delete(Pod, keyOf(pod), { preconditions: { uid }, signal });
  } catch (error) {
    // The pod is gone, or another one has its name.
    if (StatusError.is(error, "NotFound", "Conflict")) return;
    const note = `Error deleting: ${errorMessage(error)}`;
    events.record(owner, { type: "Warning", reason: "FailedDelete", note });
    throw new Error("unable to delete pods", { cause: error });
  }
  const note = `Deleted pod: ${name}`;
  events.record(owner, { type: "Normal", reason: "SuccessfulDelete", note });
}
