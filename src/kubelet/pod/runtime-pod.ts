import type { RuntimeService } from "../../cri/runtime-service.ts";
import type { ContainerStatus, PodSandboxStatus } from "../../cri/runtime-types.ts";

/** What a runtime has of a pod. */
export interface RuntimePod {
  /** The newest first. */
  readonly sandboxes: readonly PodSandboxStatus[];
  /** The newest first. */
  readonly containers: readonly ContainerStatus[];
}

/** A pod of which there is nothing. */
const noRuntimePod: RuntimePod = { sandboxes: [], containers: [] };

/** Asks a runtime for all it has of a pod. */
export async function runtimePodOf(runtime: RuntimeService, podUid: string): Promise<RuntimePod> {
  const sandboxes = await runtime.listPodSandboxes({ podUid });
  if (sandboxes.length === 0) return noRuntimePod;
  return { sandboxes, containers: await runtime.listContainers({ podUid }) };
}

/** The newest container of a name. */
export const latestOf = ({ containers }: RuntimePod, name: string): ContainerStatus | undefined =>
  containers.find(({ metadata }) => metadata.name === name);

/** Whether a pod needs a new sandbox, the how manyth it is, and which it takes the place of. */
export interface SandboxNeed {
  readonly isNeeded: boolean;
  readonly attempt: number;
  readonly oldId: string | undefined;
}

export function sandboxNeed({ sandboxes }: RuntimePod): SandboxNeed {
  const [newest] = sandboxes;
  if (!newest) return { isNeeded: true, attempt: 0, oldId: undefined };
  const ready = sandboxes.filter(({ state }) => state === "ready").length;
  const { attempt } = newest.metadata;
  if (ready === 1 && newest.state === "ready")
    return { isNeeded: false, attempt, oldId: newest.id };
  return { isNeeded: true, attempt: attempt + 1, oldId: newest.id };
}

/** The addresses of a pod that has any. */
export const podAddresses = ({ sandboxes }: RuntimePod): readonly string[] =>
  sandboxes.find(({ state }) => state === "ready")?.ips ?? [];

/** The containers in the sandbox that counts. */
export function activeContainers({
  sandboxes,
  containers,
}: RuntimePod): readonly ContainerStatus[] {
  const [newest] = sandboxes;
  return newest ? containers.filter(({ sandboxId }) => sandboxId === newest.id) : [];
}
