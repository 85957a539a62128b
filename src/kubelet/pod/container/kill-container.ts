import type { Container } from "../../../api/core/v1/container/container.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { abortReason } from "../../../base/abort-reason.ts";
import { sleep, ticksOf } from "../../../base/clock.ts";
import { onAbort } from "../../../base/on-abort.ts";
import type { KillReason } from "../pod-actions.ts";
import type { PodSurroundings } from "../pod-surroundings.ts";
import { containerNamed } from "./container-config.ts";

export interface KillRequest {
  readonly pod: Pod;
  readonly name: string;
  readonly id: string;
  /** The message of the event; by default that the container is being stopped. */
  readonly message?: string | undefined;
  readonly because?: KillReason | undefined;
  /** The grace period in seconds, which overrides the pod's. */
  readonly gracePeriod?: number | undefined;
  readonly podIP?: string | undefined;
  /** Resolves when the container may be stopped: other containers end first. */
  readonly turn?: Promise<void> | undefined;
  /** Aborted when no time is left for hooks and the order of containers. */
  readonly hurry?: AbortSignal | undefined;
}

/** Stops a container: runs its preStop hook, then stops it, within its grace period. */
export async function killContainer(request: KillRequest, around: PodSurroundings): Promise<void> {
  const { pod, name, id, because = "", turn, hurry } = request;
  const { runtime, events, clock } = around;
  const container = containerNamed(pod, name) as Container | undefined;
  const message = request.message ?? `Stopping container ${name}`;
  events.container(pod, name, { type: "Normal", reason: "Killing", message });
  let left = request.gracePeriod ?? gracePeriodOf(pod, container, because);
  const preStop = container?.lifecycle?.preStop;
  if (preStop && left > 0)
    left -= await secondsOf(runPreStop(request, container, around), { most: left, hurry, clock });
  if (turn && left > 0) left -= await secondsOf(() => turn, { most: left, hurry, clock });
  await runtime.stopContainer(id, Math.max(left, shortestGrace));
}

/** The minimum, so that a container that ends at once is not killed. */
const shortestGrace = 2;

/** The grace period of a container in seconds. */
export function gracePeriodOf(
  { metadata, spec }: Pod,
  container: Container | undefined,
  because: KillReason,
): number {
  if (metadata.deletionGracePeriodSeconds !== undefined) return metadata.deletionGracePeriodSeconds;
  if (spec.terminationGracePeriodSeconds === undefined) return shortestGrace;
  const probe =
    because === "startup"
      ? container?.startupProbe
      : because === "liveness"
        ? container?.livenessProbe
        : undefined;
  return probe?.terminationGracePeriodSeconds ?? spec.terminationGracePeriodSeconds;
}

const runPreStop =
  ({ pod, name, id, podIP }: KillRequest, container: Container, around: PodSurroundings) =>
  async (signal: AbortSignal): Promise<void> => {
    const { events, hooks, hostIPs } = around;
    const handler = container.lifecycle?.preStop;
    if (!handler) return;
    try {
      await hooks.run({
        hook: "preStop",
        handler,
        container,
        containerId: id,
        podIP: podIP ?? hostIPs()[0] ?? "",
        signal,
        record: (event) => events.pod(pod, event),
      });
    } catch {
      // A sleep is not cut short by the end of the grace period: only the container's end does not wait for it.
      if (signal.aborted && handler.sleep) return;
      const message = "PreStopHook failed";
      events.container(pod, name, { type: "Warning", reason: "FailedPreStopHook", message });
    }
  };

interface TimeLimit extends Pick<PodSurroundings, "clock"> {
  /** In seconds. */
  readonly most: number;
}

/** Runs a function with a timeout in seconds; resolves with the whole seconds that it took. */
async function secondsOf(
  work: (signal: AbortSignal) => Promise<void>,
  { most, hurry, clock }: Pick<KillRequest, "hurry"> & TimeLimit,
): Promise<number> {
  const ticks = ticksOf(clock);
  const start = ticks();
  const limit = new AbortController();
  const { signal } = limit;
  const end = (): void => limit.abort(abortReason);
  const unfollow = onAbort(hurry, end);
  const waited = sleep(clock, most * 1000, signal).catch(() => {});
  await Promise.race([work(signal), waited]);
  end();
  unfollow();
  return Math.floor((ticks() - start) / 1000);
}
