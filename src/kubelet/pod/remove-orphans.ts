import type { PodSurroundings } from "./pod-surroundings.ts";

/** Removes the pods of a node that were deleted while its kubelet did not run. */
export async function removeOrphans(
  isKnown: (podUid: string) => boolean,
  { runtime, host, log }: Pick<PodSurroundings, "runtime" | "host" | "log">,
): Promise<void> {
  const sandboxes = await runtime.listPodSandboxes();
  for (const { id, metadata } of sandboxes.filter((one) => !isKnown(one.metadata.uid))) {
    const { name, namespace, uid } = metadata;
    log.info("removing a pod that was deleted", { name, namespace, uid });
    const running = await runtime.listContainers({ sandboxId: id, state: "running" });
    await Promise.all(running.map((one) => runtime.stopContainer(one.id, graceSeconds)));
    await runtime.removePodSandbox(id);
  }
  for (const uid of await host.podUids()) if (!isKnown(uid)) await host.remove(uid);
}

const graceSeconds = 1;
