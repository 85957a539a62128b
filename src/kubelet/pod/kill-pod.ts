import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { rpcMessage } from "../../cri/rpc-message.ts";
import { quote } from "../../schema/values/quote.ts";
import { killContainer } from "./container/kill-container.ts";
import { isSidecar } from "./container/restart-policy.ts";
import { hasSidecars } from "./pod-actions.ts";
import type { PodSurroundings } from "./pod-surroundings.ts";
import { podAddresses, type RuntimePod } from "./runtime-pod.ts";

export interface KillPodRequest {
  readonly pod: Pod;
  readonly runtimePod: RuntimePod;
  /** The grace period in seconds; by default the pod's. */
  readonly gracePeriod?: number | undefined;
  readonly hurry?: AbortSignal | undefined;
}

/** Stops all running containers of a pod, sidecars last, and then its sandbox. */
export async function killPod(request: KillPodRequest, around: PodSurroundings): Promise<void> {
  const { pod, runtimePod, gracePeriod, hurry } = request;
  // The runtime lists the newest first; events are recorded for the oldest first.
  const running = runtimePod.containers.filter(({ state }) => state === "running").reverse();
  const turns = hasSidecars(pod)
    ? terminationTurns(
        pod,
        running.map(({ metadata }) => metadata.name),
      )
    : undefined;
  const [podIP] = podAddresses(runtimePod, around.hostIPs());
  await Promise.all(
    running.map(async ({ id, metadata: { name } }) => {
      const turn = turns?.turnOf(name);
      await killContainer({ pod, name, id, gracePeriod, podIP, turn, hurry }, around).catch(
        failedTo("KillContainer", name),
      );
      turns?.ended(name);
    }),
  );
  for (const { id, state } of runtimePod.sandboxes)
    if (state === "ready")
      await around.runtime
        .stopPodSandbox(id)
        .catch(failedTo("KillPodSandbox", pod.metadata.uid ?? ""));
}

const failedTo =
  (action: "KillContainer" | "KillPodSandbox", what: string) =>
  (cause: unknown): never => {
    const why = `${action}Error: ${quote(rpcMessage(cause))}`;
    throw new Error(`failed to ${quote(action)} for ${quote(what)} with ${why}`);
  };

/** The order in which containers end. */
export interface TerminationTurns {
  turnOf(name: string): Promise<void> | undefined;
  ended(name: string): void;
}

/**
 * Sidecars end after all other containers, in reverse order of their start: with sidecars a and b and a
 * container c, c ends first, then b, then a.
 */
function terminationTurns({ spec }: Pod, running: readonly string[]): TerminationTurns {
  const ends = new Map<string, { readonly promise: Promise<void>; readonly resolve: () => void }>();
  for (const name of running) {
    let resolve = (): void => {};
    const promise = new Promise<void>((done) => {
      resolve = done;
    });
    ends.set(name, { promise, resolve });
  }
  const endOf = (name: string): Promise<void> => ends.get(name)?.promise ?? Promise.resolve();
  const main = Promise.all((spec.containers ?? []).map(({ name }) => endOf(name))).then(() => {});
  const turns = new Map<string, Promise<void>>();
  let before = main;
  for (const container of (spec.initContainers ?? []).filter(isSidecar).reverse()) {
    turns.set(container.name, before);
    before = Promise.all([before, endOf(container.name)]).then(() => {});
  }
  return { turnOf: (name) => turns.get(name), ended: (name) => ends.get(name)?.resolve() };
}
