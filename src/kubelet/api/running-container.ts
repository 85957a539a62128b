import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { RuntimeService } from "../../cri/runtime-service.ts";

/**
 * The ID of a running container of a pod; undefined if there is none. The runtime knows it before the status of
 * the pod does.
 */
export async function runningContainer(
  runtime: Pick<RuntimeService, "listContainers">,
  { metadata }: Pod,
  name: string,
): Promise<string | undefined> {
  const running = await runtime.listContainers({ podUid: metadata.uid ?? "", state: "running" });
  return running.find((container) => container.metadata.name === name)?.id;
}
