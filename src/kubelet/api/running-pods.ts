import type { RuntimeService } from "../../cri/runtime-service.ts";

/** The pods that a runtime runs, with no more than it knows of them, for `/runningpods`. */
export async function runningPods(
  runtime: Pick<RuntimeService, "listPodSandboxes" | "listContainers">,
): Promise<readonly object[]> {
  const [sandboxes, containers] = await Promise.all([
    runtime.listPodSandboxes({ state: "ready" }),
    runtime.listContainers({ state: "running" }),
  ]);
  return sandboxes.map(({ id, metadata: { name, namespace, uid } }) => ({
    metadata: { name, namespace, uid },
    spec: {
      containers: containers
        .filter(({ sandboxId }) => sandboxId === id)
        .map(({ metadata, userSpecifiedImage: image }) => ({
          name: metadata.name,
          image,
          resources: {},
        })),
    },
    status: {},
  }));
}

/** A list of pods as Go encodes it: an empty one is null. */
export const podList = (items: readonly object[]): object => ({
  kind: "PodList",
  apiVersion: "v1",
  metadata: {},
  items: items.length > 0 ? items : null,
});
