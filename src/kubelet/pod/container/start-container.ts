import type { Container } from "../../../api/core/v1/container/container.ts";
import type { EphemeralContainer } from "../../../api/core/v1/container/ephemeral-container.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { errorMessage } from "../../../base/error-message.ts";
import type { ContainerConfig } from "../../../cri/runtime-types.ts";
import { formatDuration } from "../../../schema/values/duration.ts";
import type { KubeletEvent } from "../../kubelet-events.ts";
import type { Leaving } from "../leaving.ts";
import type { PodSurroundings } from "../pod-surroundings.ts";
import { podText } from "../pod-text.ts";
import { actuateContainer } from "../resize/resize-pod.ts";
import { latestOf, podAddresses, type RuntimePod } from "../runtime-pod.ts";
import type { BackoffTable } from "./backoff-table.ts";
import { containerConfig, sandboxConfig } from "./container-config.ts";
import { containerEnvironment, type EnvironmentSources } from "./container-environment.ts";
import type { StartFailure } from "./container-statuses.ts";
import { ensureImage } from "./ensure-image.ts";
import { hookMessage } from "./hook-message.ts";
import { killContainer } from "./kill-container.ts";
import type { PullSecret } from "./pull-secrets.ts";
import { missingVolumeImage, type VolumeImages } from "./volume-images.ts";

export interface StartRequest {
  readonly pod: Pod;
  readonly container: Container | EphemeralContainer;
  readonly runtimePod: RuntimePod;
  readonly sandboxId: string;
  readonly podIP: string;
  readonly attempt: number;
  readonly backoff: BackoffTable;
  readonly pullErrors: Map<string, string>;
  readonly pullSecrets: readonly PullSecret[];
  readonly leaving: Leaving;
  readonly pulled?: ((ms: number) => void) | undefined;
  /** The images of the pod's volumes. */
  readonly volumeImages: VolumeImages;
}

/** Why a container was not started, and what is left of its backoff if it waits for that. */
export interface NotStarted extends StartFailure {
  readonly backoffMs?: number | undefined;
}

/** Starts a container, unless its backoff is not over; resolves with the failure, if any. */
export async function startContainer(
  request: StartRequest,
  around: PodSurroundings,
): Promise<NotStarted | undefined> {
  const { pod, container, runtimePod, sandboxId, podIP, attempt } = request;
  const { runtime, events } = around;
  const { name } = container;
  const record = (event: KubeletEvent): void => events.container(pod, name, event);
  const failed = (reason: string, why: string): NotStarted => {
    record({ type: "Warning", reason: "Failed", message: `Error: ${why}` });
    return { reason, message: why };
  };
  const waiting = crashLoop(request, around);
  if (waiting) return waiting;
  const sandbox = await around.host.sandbox(sandboxConfig(pod, attempt), pod);
  const missing = missingVolumeImage(container, request.volumeImages, record);
  if (missing) return missing;
  const { image: imageName = "", imagePullPolicy: pullPolicy } = container;
  const image = await ensureImage(
    { ...request, image: imageName, pullPolicy, record, sandbox },
    around,
  );
  if ("reason" in image) {
    record({ type: "Warning", reason: "Failed", message: `Error: ${image.reason}` });
    return image;
  }
  const restarts = restartsOf(pod, name, runtimePod);
  const addresses = podAddresses(runtimePod, around.hostIPs());
  const podIPs = (addresses.length > 0 ? addresses : around.hostIPs()).map((ip) => ({ ip }));
  const withAddress = podIP === "" ? pod : { ...pod, status: { ...pod.status, podIP, podIPs } };
  let config: ContainerConfig;
  try {
    const additions = await around.host.additions?.(withAddress, container as Container);
    const own = await containerEnvironment(
      withAddress,
      container,
      environmentSources(withAddress, around),
    );
    const env = additions?.env ? [...additions.env, ...own] : own;
    config = await around.host.container(
      containerConfig(pod, container, { attempt: restarts, env }),
      {
        ...{ pod: withAddress, container, image, sandboxId, additions },
        idOf: (other) => latestOf(runtimePod, other)?.id,
      },
    );
  } catch (error) {
    return failed("CreateContainerConfigError", errorMessage(error));
  }
  await actuateContainer(pod, container, around);
  let id: string;
  try {
    id = await runtime.createContainer(sandboxId, config, sandbox);
  } catch (error) {
    return failed("CreateContainerError", errorMessage(error));
  }
  record({ type: "Normal", reason: "Created", message: "Container created" });
  try {
    await runtime.startContainer(id);
  } catch (error) {
    return failed("RunContainerError", errorMessage(error));
  }
  record({ type: "Normal", reason: "Started", message: "Container started" });
  return afterStart({ ...request, container: container as Container, id }, around);
}

const environmentSources = (
  pod: Pod,
  { references, services, hostIPs, node, host }: PodSurroundings,
): EnvironmentSources => ({
  references,
  services,
  hostIPs: hostIPs(),
  allocatable: node()?.status.allocatable ?? {},
  volumeFile: host.volumeFile && (async (volume, path) => host.volumeFile?.(pod, volume, path)),
});

/** The backoff before the restart of an ended container, which grows each time. */
function crashLoop(
  { pod, container, runtimePod, backoff }: StartRequest,
  { events, restartBackoff }: PodSurroundings,
): NotStarted | undefined {
  const { name } = container;
  const ended = runtimePod.containers.find(
    ({ metadata, state }) => metadata.name === name && state === "exited",
  );
  if (!ended) return undefined;
  const key = `container/${name}`;
  const wait = backoff.waitSince(key, ended.finishedAt);
  if (wait === 0) {
    backoff.next(key, ended.finishedAt, restartBackoff);
    return undefined;
  }
  const message = `Back-off restarting failed container ${name} in pod ${podText(pod)}`;
  events.container(pod, name, { type: "Warning", reason: "BackOff", message });
  const took = formatDuration(BigInt(backoff.get(key)) * 1_000_000n);
  return {
    reason: "CrashLoopBackOff",
    message: `back-off ${took} restarting failed container=${name} pod=${podText(pod)}`,
    backoffMs: wait,
  };
}

/** How often a container was started before, from the runtime or the pod's status. */
function restartsOf({ status }: Pod, name: string, runtimePod: RuntimePod): number {
  const latest = latestOf(runtimePod, name);
  if (latest) return latest.metadata.attempt + 1;
  const statuses = [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])];
  const known = statuses.find((one) => one.name === name);
  return known?.restartCount ?? 0;
}

interface Started extends Pick<StartRequest, "pod" | "podIP" | "leaving"> {
  readonly container: Container;
  readonly id: string;
}

async function afterStart(
  { pod, container, id, podIP, leaving }: Started,
  around: PodSurroundings,
): Promise<NotStarted | undefined> {
  const { events, hooks } = around;
  const { name } = container;
  const handler = container.lifecycle?.postStart;
  if (!handler) return undefined;
  try {
    await hooks.run({
      hook: "postStart",
      handler,
      container,
      containerId: id,
      podIP,
      signal: leaving.signal,
      record: (event) => events.pod(pod, event),
    });
    return undefined;
  } catch (error) {
    const message = "PostStartHook failed";
    events.container(pod, name, { type: "Warning", reason: "FailedPostStartHook", message });
    const killing = "FailedPostStartHook";
    // A pod that must end stops all its containers.
    if (leaving.hasBegun)
      events.container(pod, name, { type: "Normal", reason: "Killing", message: killing });
    else await killContainer({ pod, name, id, podIP, message: killing }, around);
    const why = hookMessage({ pod, container: name, handler }, error);
    // The container has ended, which causes another sync.
    return { reason: "PostStartHookError", message: why };
  }
}
