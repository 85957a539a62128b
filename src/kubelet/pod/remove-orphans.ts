import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { errorMessage } from "../../base/error-message.ts";
import type { PodSandboxStatus } from "../../cri/runtime-types.ts";
import type { PodSurroundings } from "./pod-surroundings.ts";
import { isStaticSource, sourceAnnotation } from "./static-pod.ts";

type Around = Pick<PodSurroundings, "runtime" | "host" | "log">;

/**
 * Removes the pods of a node that were deleted while its kubelet did not run. Rejects if one cannot be removed, after
 * the others.
 */
export async function removeOrphans(
  isKnown: (podUid: string) => boolean,
  around: Around,
): Promise<void> {
  const { runtime, host } = around;
  const failures: string[] = [];
  const attempt = (work: Promise<void>): Promise<unknown> =>
    work.catch((error: unknown) => failures.push(errorMessage(error)));
  for (const sandbox of await runtime.listPodSandboxes())
    if (!isKnown(sandbox.metadata.uid)) await attempt(removeSandbox(sandbox, around));
  const left = new Set((await runtime.listPodSandboxes()).map(({ metadata }) => metadata.uid));
  // Containers may still use the volumes of what could not be removed.
  for (const uid of await host.podUids())
    if (!isKnown(uid) && !left.has(uid)) await attempt(host.remove(uid));
  if (failures.length > 0) throw new Error(failures.join("; "));
}

/** Removes the static pods that a static pod replaced while the kubelet did not run: they have its name. */
export async function removeReplaced(
  { metadata: { name, namespace } }: Pod,
  isKnown: (podUid: string) => boolean,
  around: Around,
): Promise<void> {
  const { runtime, host } = around;
  for (const sandbox of await runtime.listPodSandboxes()) {
    const { metadata, annotations } = sandbox;
    const isReplaced = metadata.name === name && metadata.namespace === namespace;
    if (!isReplaced || isKnown(metadata.uid) || !isStaticSource(annotations[sourceAnnotation]))
      continue;
    await removeSandbox(sandbox, around);
    await host.remove(metadata.uid);
  }
}

async function removeSandbox(
  { id, metadata: { name, namespace, uid } }: PodSandboxStatus,
  { runtime, log }: Around,
): Promise<void> {
  log.info("removing a pod that was deleted", { name, namespace, uid });
  const running = await runtime.listContainers({ sandboxId: id, state: "running" });
  await Promise.all(running.map((one) => runtime.stopContainer(one.id, graceSeconds)));
  await runtime.removePodSandbox(id);
}

const graceSeconds = 1;
