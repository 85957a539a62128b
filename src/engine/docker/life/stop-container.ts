import { signalName, signalNumber } from "../../containers/signal-number.ts";
import type { DockerContext } from "../docker-context.ts";
import { badRequest } from "../http/docker-error.ts";
import { emitContainer } from "./container-events.ts";

/** Stops a container for a client, which its restart policy then leaves alone. */
export async function stopContainer(
  context: DockerContext,
  id: string,
  options: { readonly signal?: string | undefined; readonly seconds?: number | undefined },
): Promise<void> {
  const { registry, containers, events } = context;
  const container = registry.find(id);
  const { config } = container.details;
  const signal = signalName(options.signal ?? (config.StopSignal || "SIGTERM"));
  if (signal === undefined) throw badRequest(`invalid signal: ${options.signal}`);
  context.restarts.forget(id);
  await registry.change(id, () => ({ isStoppedByClient: true, isRestarting: false }));
  // A restart that was under way ends first: it has started the container.
  await registry.alone(id, async () => undefined);
  const { state } = registry.find(id);
  if (state.phase === "running") {
    const seconds = options.seconds ?? config.StopTimeout ?? defaultSeconds;
    if (state.isPaused) await containers.unpause(id);
    emitContainer(events, container, "kill", { signal: String(signalNumber(signal)) });
    // A negative time waits for as long as it takes.
    await containers.stop(id, { signal, timeoutMs: seconds < 0 ? longestMs : seconds * 1000 });
  }
  // After the end was handled: clients may start or remove it at once.
  await registry.alone(id, async () => undefined);
  emitContainer(events, container, "stop");
}

const defaultSeconds = 10;
const longestMs = 2 ** 31 - 1;
