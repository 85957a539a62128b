import { onAbort } from "../../../base/on-abort.ts";
import type { MessageOf, Sent } from "../../../base/protobuf-message.ts";
import { RuntimeError, type RuntimeService } from "../../../cri/runtime-service.ts";
import type { ContainerEvent } from "../../../cri/runtime-types.ts";
import { containerStatusToWire } from "../../../cri/wire/container-status.ts";
import type { ContainerEventResponse } from "../../../cri/wire/messages/runtime-messages.ts";
import { runtimeMethods } from "../../../cri/wire/messages/runtime-methods.ts";
import { sandboxStatusToWire } from "../../../cri/wire/sandbox-status.ts";
import { toNanos } from "../../../cri/wire/times.ts";
import type { GrpcHandler } from "../../../platform/grpc/grpc-server.ts";
import { handleStream } from "./cri-handler.ts";

/** Sends events to a client until it disconnects, with the state of their pods at the time of sending. */
export const eventHandler = (runtime: RuntimeService): GrpcHandler =>
  handleStream(runtimeMethods.getContainerEvents, async function* (_, signal) {
    const pending: ContainerEvent[] = [];
    let wake = (): void => undefined;
    let isLate = false;
    const stop = runtime.containerEvents((event) => {
      isLate ||= pending.length >= mostPending;
      if (isLate) pending.length = 0;
      else pending.push(event);
      wake();
    });
    const unfollow = onAbort(signal, () => wake());
    try {
      while (!signal.aborted) {
        for (let event = pending.shift(); event; event = pending.shift())
          yield await described(runtime, event);
        if (isLate)
          throw new RuntimeError("ResourceExhausted", "the client reads events too slowly");
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (pending.length > 0 || isLate || signal.aborted) resolve();
        });
      }
    } finally {
      stop();
      unfollow();
    }
  });

/** A client that reads no more would fill the memory: it lists everything after it has connected again. */
const mostPending = 10_000;

async function described(
  runtime: RuntimeService,
  { type, containerId, podUid, at }: ContainerEvent,
): Promise<Sent<MessageOf<typeof ContainerEventResponse>>> {
  const [sandbox] = await runtime.listPodSandboxes({ podUid });
  const containers = await runtime.listContainers({ podUid });
  return {
    container_id: containerId,
    container_event_type: type,
    created_at: toNanos(at),
    // A sandbox that is removed is still known by the UID of its pod.
    pod_sandbox_status: sandbox
      ? sandboxStatusToWire(sandbox)
      : { metadata: { uid: podUid }, state: "notReady" },
    containers_statuses: containers.map(containerStatusToWire),
  };
}
