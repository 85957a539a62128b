import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { RuntimeService } from "../../../cri/runtime-service.ts";
import type { ContainerStatus } from "../../../cri/runtime-types.ts";
import type { PodSurroundings } from "../pod-surroundings.ts";
import type { RuntimePod } from "../runtime-pod.ts";
import { containerNamed } from "./container-config.ts";

/** The runtime's state of a pod, with the termination messages of containers that have ended. */
export async function withLastWords(
  pod: Pod,
  runtimePod: RuntimePod,
  around: Pick<PodSurroundings, "runtime" | "host">,
): Promise<RuntimePod> {
  if (!runtimePod.containers.some(({ state }) => state === "exited")) return runtimePod;
  const containers = await Promise.all(
    runtimePod.containers.map((container) =>
      container.state === "exited" ? withMessage(pod, container, around) : container,
    ),
  );
  return { ...runtimePod, containers };
}

async function withMessage(
  pod: Pod,
  container: ContainerStatus,
  { runtime, host }: Pick<PodSurroundings, "runtime" | "host">,
): Promise<ContainerStatus> {
  const written = await host.terminationMessage(container);
  // The message of the runtime says why a container could not be started.
  const message = container.message + (written ?? "");
  const { exitCode, id, metadata } = container;
  const policy = containerNamed(pod, metadata.name)?.terminationMessagePolicy;
  if (message === "" && exitCode !== 0 && policy === "FallbackToLogsOnError")
    return { ...container, message: await endOfLog(runtime, id) };
  return written === undefined ? container : { ...container, message };
}

const mostLines = 80;
const mostBytes = 2048;

async function endOfLog(runtime: RuntimeService, id: string): Promise<string> {
  const { signal } = new AbortController();
  let end: readonly number[] = [];
  for await (const { bytes } of runtime.logs(id, { tailLines: mostLines, follow: false, signal }))
    end = [...end, ...bytes.subarray(-mostBytes)].slice(-mostBytes);
  return new TextDecoder().decode(Uint8Array.from(end));
}
