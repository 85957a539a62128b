import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { errorMessage } from "../../base/error-message.ts";
import { rpcMessage } from "../../cri/rpc-message.ts";
import type { KubeletEvent } from "../kubelet-events.ts";
import type { BackoffTable } from "./container/backoff-table.ts";
import { containerNamed, sandboxConfig } from "./container/container-config.ts";
import type { StartFailure } from "./container/container-statuses.ts";
import { killContainer } from "./container/kill-container.ts";
import { readPullSecrets } from "./container/pull-secrets.ts";
import { containersToReset } from "./container/restart-all.ts";
import { isSidecar } from "./container/restart-policy.ts";
import { startContainer } from "./container/start-container.ts";
import { ensureVolumeImages, type VolumeImages } from "./container/volume-images.ts";
import { killPod } from "./kill-pod.ts";
import type { Leaving } from "./leaving.ts";
import { type PodActions, podActions } from "./pod-actions.ts";
import { PodSetUpError } from "./pod-host.ts";
import type { PodSurroundings } from "./pod-surroundings.ts";
import type { ProbeResults } from "./probes/probe-results.ts";
import { podResourcesOf } from "./resize/allocation-store.ts";
import { resizeActions } from "./resize/resize-actions.ts";
import { resizePod } from "./resize/resize-pod.ts";
import { podAddresses, type RuntimePod, runtimePodOf } from "./runtime-pod.ts";

export interface SyncRequest {
  readonly pod: Pod;
  readonly runtimePod: RuntimePod;
  readonly probes: ProbeResults;
  /** Why containers could not be started, by name; updated in place. */
  readonly failures: Map<string, StartFailure>;
  readonly pullErrors: Map<string, string>;
  readonly backoff: BackoffTable;
  readonly leaving: Leaving;
  /** Called after a pull with the time that it took. */
  readonly pulled?: ((ms: number) => void) | undefined;
  /** Whether all containers must be removed first. */
  readonly isRestarting?: boolean | undefined;
}

export interface SyncOutcome {
  /** The container that was started last, unless a hook followed its start. */
  readonly started?: string | undefined;
  /** Why a resize could not be completed. */
  readonly resizeError?: string | undefined;
  /** After how long to sync again, even without an event, because something has failed. */
  readonly retryMs?: number | undefined;
}

/** Brings the runtime closer to a pod's spec, as far as possible now. */
export async function syncPod(request: SyncRequest, around: PodSurroundings): Promise<SyncOutcome> {
  const { pod, runtimePod, probes, leaving, isRestarting } = request;
  if (isRestarting) return removeAll(request, around);
  const { uid = "" } = pod.metadata;
  const resize = resizeActions(pod, runtimePod, around.allocations?.actuated.get(uid));
  const actions = podActions({ pod, runtimePod, probes, resizing: resize.restart });
  if (actions.createSandbox && actions.sandboxId !== undefined)
    around.events.pod(pod, {
      type: "Normal",
      reason: "SandboxChanged",
      message: "Pod sandbox changed, it will be killed and re-created.",
    });
  if (actions.killPod) {
    await killPod({ pod, runtimePod }, around);
    if (!actions.createSandbox) return {};
  } else await killUnwanted(request, actions, around);
  let { sandboxId } = actions;
  try {
    await around.host.setUp(pod, { isStarting: actions.createSandbox });
  } catch (error) {
    if (error instanceof PodSetUpError) return setUpFailed(request, error, around);
    throw error;
  }
  // The cgroup of a new pod has its limits from the start.
  const { actuated } = around.allocations ?? {};
  if (actuated && !actuated.get(uid)) await actuated.set(uid, podResourcesOf(pod));
  const counted = countStart(pod, actions, around);
  if (actions.createSandbox) {
    request.backoff.reset(setUpKey);
    try {
      const config = await around.host.sandbox(sandboxConfig(pod, actions.attempt), pod);
      sandboxId = await around.runtime.runPodSandbox(config);
    } catch (error) {
      return counted(sandboxFailed(pod, error, around));
    }
  }
  if (sandboxId === undefined || leaving.hasBegun) return {};
  const starting = [...actions.init, ...actions.containers];
  const resizeError = await resizePod({ pod, sandboxId, actions: resize, starting }, around);
  const outcome = counted(await startAll(request, { ...actions, sandboxId }, around));
  if (resizeError === undefined) return outcome;
  return { ...outcome, retryMs: Math.min(outcome.retryMs ?? Infinity, usualRetryMs), resizeError };
}

/** Counts the start of a pod with users of its own; its outcome is to be passed to the function that is returned. */
function countStart(
  { spec }: Pod,
  { createSandbox }: PodActions,
  { workerMetrics }: PodSurroundings,
): (outcome: SyncOutcome) => SyncOutcome {
  const metrics = createSandbox && spec.hostUsers === false ? workerMetrics : undefined;
  metrics?.startedWithUsers();
  return (outcome) => {
    if (outcome.retryMs !== undefined) metrics?.failedWithUsers();
    return outcome;
  };
}

/** Removes all containers of a pod; their removal causes another sync. */
async function removeAll(
  { pod, runtimePod }: SyncRequest,
  around: PodSurroundings,
): Promise<SyncOutcome> {
  for (const { id, state, metadata } of containersToReset(pod, runtimePod)) {
    const kill = { pod, name: metadata.name, id, message: "killing", gracePeriod: 0 };
    if (state === "running") await killContainer(kill, around);
    await around.runtime.removeContainer(id);
  }
  return {};
}

const setUpKey = "set-up";

/** Volumes are retried after half a second, with a growing backoff. */
function setUpFailed(
  { pod, backoff }: SyncRequest,
  { reason, message, isExpected }: PodSetUpError,
  around: PodSurroundings,
): SyncOutcome {
  if (!isExpected) warn(pod, { reason, message }, around);
  backoff.next(setUpKey, around.clock.now(), { shortest: 500, longest: 122_000 });
  return { retryMs: backoff.get(setUpKey) };
}

function sandboxFailed(pod: Pod, error: unknown, around: PodSurroundings): SyncOutcome {
  const message = `Failed to create pod sandbox: ${errorMessage(error)}`;
  warn(pod, { reason: "FailedCreatePodSandBox", message }, around);
  return { retryMs: usualRetryMs };
}

const warn = (
  pod: Pod,
  event: Pick<KubeletEvent, "reason" | "message">,
  { events }: PodSurroundings,
): void => events.pod(pod, { type: "Warning", ...event });

async function killUnwanted(
  { pod, runtimePod }: SyncRequest,
  { kill }: PodActions,
  around: PodSurroundings,
): Promise<void> {
  const [podIP] = podAddresses(runtimePod, around.hostIPs());
  for (const { status, message, because } of kill) {
    const { id, metadata } = status;
    await killContainer({ pod, name: metadata.name, id, message, because, podIP }, around);
  }
}

async function startAll(
  request: SyncRequest,
  actions: PodActions & { readonly sandboxId: string },
  around: PodSurroundings,
): Promise<SyncOutcome> {
  const { pod, failures, backoff, pullErrors, leaving, pulled } = request;
  const { ephemeral, init, containers, sandboxId, attempt, createSandbox } = actions;
  if (ephemeral.length + init.length + containers.length === 0) return {};
  // Read the runtime again, to include what was just killed or created.
  const runtimePod = await runtimePodOf(around.runtime, pod.metadata.uid ?? "").catch(rpcMessage);
  if (typeof runtimePod === "string") {
    const message = `Unable to get pod sandbox status: ${runtimePod}`;
    if (createSandbox) warn(pod, { reason: "FailedPodSandBoxStatus", message }, around);
    return { retryMs: usualRetryMs };
  }
  const hostIPs = around.hostIPs();
  const podIP = podAddresses(runtimePod, hostIPs)[0] ?? hostIPs[0] ?? "";
  const pullSecrets = await readPullSecrets(pod, around);
  const pulls = { pod, attempt, backoff, pullErrors, pullSecrets, leaving, pulled };
  let volumeImages: VolumeImages = new Map();
  let started: string | undefined;
  let hasFailed = false;
  let backoffMs: number | undefined;
  const outcome = (): SyncOutcome => ({
    started,
    retryMs: hasFailed ? (backoffMs ?? usualRetryMs) : undefined,
  });
  const start = async (name: string): Promise<boolean> => {
    const container = containerNamed(pod, name);
    if (!container || leaving.hasBegun) return false;
    const common = { container, runtimePod, sandboxId, podIP, volumeImages };
    const failure = await startContainer({ ...common, ...pulls }, around);
    if (!failure) {
      failures.delete(name);
      started = "lifecycle" in container && container.lifecycle?.postStart ? undefined : name;
      await forgetOld(name, runtimePod, around);
      return true;
    }
    failures.set(name, failure);
    hasFailed = true;
    if (failure.backoffMs !== undefined)
      backoffMs = Math.min(backoffMs ?? Infinity, failure.backoffMs);
    return false;
  };
  try {
    volumeImages = await ensureVolumeImages(pulls, around);
    for (const name of ephemeral) await start(name);
    for (const name of init) {
      const isStarted = await start(name);
      const container = pod.spec.initContainers?.find((one) => one.name === name);
      if (!isStarted && container && !isSidecar(container)) return outcome();
    }
    for (const name of containers) await start(name);
  } catch (error) {
    // A pod that must end does not wait for a pull.
    if (!leaving.hasBegun) throw error;
  }
  return outcome();
}

/** Removes old containers; the previous one is kept for its logs. */
async function forgetOld(
  name: string,
  { containers }: RuntimePod,
  { runtime, host }: PodSurroundings,
): Promise<void> {
  const [, ...older] = containers.filter(({ metadata }) => metadata.name === name);
  for (const container of older) {
    await host.removeLogs(container);
    await runtime.removeContainer(container.id);
  }
}

const usualRetryMs = 10_000;
