import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { RuntimeService } from "../../../cri/runtime-service.ts";
import type { ContainerStatus } from "../../../cri/runtime-types.ts";
import type { RuntimePod } from "../runtime-pod.ts";
import { containerNamed } from "./container-config.ts";

/** The runtime's state of a pod, with the end of the log as termination message where requested. */
export async function withLastWords(
  pod: Pod,
  runtimePod: RuntimePod,
  runtime: RuntimeService,
): Promise<RuntimePod> {
  const isSilent = ({ state, exitCode, message, metadata }: ContainerStatus): boolean =>
    state === "exited" &&
    exitCode !== 0 &&
    message === "" &&
    containerNamed(pod, metadata.name)?.terminationMessagePolicy === "FallbackToLogsOnError";
  if (!runtimePod.containers.some(isSilent)) return runtimePod;
  const containers = await Promise.all(
    runtimePod.containers.map(async (container) =>
      isSilent(container)
        ? { ...container, message: await endOfLog(runtime, container.id) }
        : container,
    ),
  );
  return { ...runtimePod, containers };
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
