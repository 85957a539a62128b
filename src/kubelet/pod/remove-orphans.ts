import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { PodSandboxStatus } from "../../cri/runtime-types.ts";
import type { PodSurroundings } from "./pod-surroundings.ts";
import { isStaticSource, sourceAnnotation } from "./static-pod.ts";

type Around = Pick<PodSurroundings, "runtime" | "host" | "log">;

/** Removes the pods of a node that were deleted while its kubelet did not run. */
export async function removeOrphans(
  isKnown: (podUid: string) => boolean,
  around: Around,
): Promise<void> {
  const { runtime, host } = around;
  for (const sandbox of await runtime.listPodSandboxes())
    if (!isKnown(sandbox.metadata.uid)) await removeSandbox(sandbox, around);
  for (const uid of await host.podUids()) if (!isKnown(uid)) await host.remove(uid);
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
