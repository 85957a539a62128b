import type { RuntimeService } from "../../cri/runtime-service.ts";
import type { ContainerStatus, PodSandboxStatus } from "../../cri/runtime-types.ts";

/** The state of a pod in the runtime. */
export interface RuntimePod {
  /** The newest first. */
  readonly sandboxes: readonly PodSandboxStatus[];
  /** The newest first. */
  readonly containers: readonly ContainerStatus[];
}

/** The state of a pod that the runtime does not have. */
const noRuntimePod: RuntimePod = { sandboxes: [], containers: [] };

/** Reads the state of a pod from the runtime. */
export async function runtimePodOf(runtime: RuntimeService, podUid: string): Promise<RuntimePod> {
  const sandboxes = await runtime.listPodSandboxes({ podUid });
  if (sandboxes.length === 0) return noRuntimePod;
  return { sandboxes, containers: await runtime.listContainers({ podUid }) };
}

/** The newest container of a name. */
export const latestOf = ({ containers }: RuntimePod, name: string): ContainerStatus | undefined =>
  containers.find(({ metadata }) => metadata.name === name);

/** The pod as it was before the newest container of a name ended; undefined if that has not ended. */
export function beforeItEnded(runtimePod: RuntimePod, name: string): RuntimePod | undefined {
  const ended = latestOf(runtimePod, name);
  if (ended?.state !== "exited") return undefined;
  const running = {
    ...ended,
    state: "running",
    finishedAt: 0,
    exitCode: 0,
    reason: "",
    message: "",
  } as const;
  const containers = runtimePod.containers.map((one) => (one === ended ? running : one));
  return { ...runtimePod, containers };
}

/** Whether a pod needs a new sandbox, the number of its attempt, and the sandbox that it replaces. */
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

/** The addresses of a pod that has any: one of the node's family, then one of the other. */
export function podAddresses(
  { sandboxes }: RuntimePod,
  hostIPs: readonly string[],
): readonly string[] {
  const ips = sandboxes.find(({ state }) => state === "ready")?.ips ?? [];
  if (ips.length < 2) return ips;
  const isNodes = (ip: string): boolean => ip.includes(":") === (hostIPs[0] ?? "").includes(":");
  const chosen = [ips.find(isNodes), ips.find((ip) => !isNodes(ip))];
  return chosen.filter((ip) => ip !== undefined);
}

/** The containers in the current sandbox. */
export function activeContainers({
  sandboxes,
  containers,
}: RuntimePod): readonly ContainerStatus[] {
  const [newest] = sandboxes;
  return newest ? containers.filter(({ sandboxId }) => sandboxId === newest.id) : [];
}
