import { errorMessage } from "../../../base/error-message.ts";
import type { DockerContainer } from "../create/docker-details.ts";
import { settingsFor } from "../create/settings-for.ts";
import type { DockerContext } from "../docker-context.ts";
import { conflict, DockerError, notModified } from "../http/docker-error.ts";
import { closeNetwork, openNetwork } from "../network/container-network.ts";
import { writeEtcFiles, writeHosts } from "../network/write-etc-files.ts";
import { emitContainer } from "./container-events.ts";
import { removeContainer } from "./remove-container.ts";
import { startFailure } from "./start-failure.ts";

/** Starts a container for a client: what its restart policy counted starts over. */
export async function startContainer(context: DockerContext, id: string): Promise<void> {
  const { registry } = context;
  await registry.alone(id, async () => {
    const container = registry.find(id);
    const { state } = container;
    if (state.phase === "running" && state.isPaused)
      throw conflict("cannot start a paused container, try unpause instead");
    if (state.phase === "running" || state.phase === "starting") throw notModified();
    if (registry.isLeaving(id))
      throw conflict("container is marked for removal and cannot be started");
    context.restarts.forget(id);
    const details = { restartCount: 0, isStoppedByClient: false, isRestarting: false };
    await registry.change(id, () => details);
    await runContainer(context, registry.find(id));
  });
}

/** Runs a container that is not running: its network, its files, then its process. */
export async function runContainer(
  context: DockerContext,
  container: DockerContainer,
): Promise<void> {
  const { id } = container;
  const { registry, containers } = context;
  if (container.details.startError) await registry.change(id, () => ({ startError: undefined }));
  try {
    const network = await openNetwork(context, container).catch(networkFailure);
    const connected = registry.find(id);
    await writeEtcFiles(context, connected);
    for (const name of Object.keys(connected.details.endpoints)) await writeHosts(context, name);
    await containers.start(id, await settingsFor(context, connected, network));
  } catch (error) {
    await failed(context, container, error);
  }
}

/** Only a failure of docker's own: that of a program is told as it is. */
function networkFailure(error: unknown): never {
  const { message } = error as Error;
  const status = error instanceof DockerError ? error.status : 500;
  throw new DockerError(status, `failed to set up container networking: ${message}`, {
    cause: error,
  });
}

async function failed(
  context: DockerContext,
  container: DockerContainer,
  error: unknown,
): Promise<never> {
  const { id, details } = container;
  const { message, exitCode, status } = startFailure(
    error instanceof DockerError ? error.message : errorMessage(error),
  );
  await closeNetwork(context, id).catch((cause) =>
    context.log.error("closing the network of a container failed", cause, { id }),
  );
  await context.registry.change(id, () => ({
    startError: { message, exitCode },
    isRestarting: false,
  }));
  if (details.hostConfig.AutoRemove) await removeContainer(context, id, { withVolumes: true });
  if (error instanceof DockerError) throw error;
  throw new DockerError(status, message, { cause: error });
}

/** Reacts to a container that has started. */
export function noticeStart(context: DockerContext, container: DockerContainer): void {
  emitContainer(context.events, container, "start");
  context.health.watch(container);
}
