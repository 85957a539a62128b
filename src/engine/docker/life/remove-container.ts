import { rm } from "node:fs/promises";
import { unlessFull } from "../../../platform/files.ts";
import type { DockerContainer } from "../create/docker-details.ts";
import type { DockerContext } from "../docker-context.ts";
import { conflict } from "../http/docker-error.ts";
import { closeNetwork } from "../network/container-network.ts";
import { containerFolder } from "../network/write-etc-files.ts";
import { statusWord } from "../show/docker-state.ts";
import { emitContainer } from "./container-events.ts";
import { closeShm } from "./shared-memory.ts";

/** Removes a container for a client, which must say so if it runs. */
export async function removeForClient(
  context: DockerContext,
  nameOrId: string,
  options: { readonly force: boolean; readonly withVolumes: boolean },
): Promise<void> {
  const container = context.registry.find(nameOrId);
  const word = statusWord(container);
  if (!options.force && (container.state.phase === "running" || word === "restarting"))
    throw conflict(
      `cannot remove container "${nameOrId}": ${
        word === "paused"
          ? "container is paused and must be unpaused first"
          : `container is ${word}: stop the container before removing or force remove`
      }`,
    );
  const { id } = container;
  context.restarts.forget(id);
  await context.registry.leaving(id, async () => {
    await unlessFull(context.registry.change(id, () => ({ isStoppedByClient: true })));
    if (container.state.phase === "running")
      await context.containers.stop(id, { signal: "SIGKILL", timeoutMs: 0 });
    await removeAll(context, id, options);
  });
}

/** Removes a container with its folder and, if asked for, the volumes that were made for it. */
export async function removeContainer(
  context: DockerContext,
  id: string,
  options: { readonly withVolumes: boolean },
): Promise<void> {
  await context.registry.leaving(id, () => removeAll(context, id, options));
}

async function removeAll(
  context: DockerContext,
  id: string,
  { withVolumes }: { readonly withVolumes: boolean },
): Promise<void> {
  const { registry, containers } = context;
  const container = registry.get(id);
  if (!container) return;
  // Who waits for its start waits in vain.
  if (container.state.phase === "created") context.attachments.end(id);
  context.attachments.forget(id);
  context.health.forget(id);
  context.execs.forgetContainer(id);
  await closeNetwork(context, id);
  await closeShm(context, id);
  await containers.remove(id);
  registry.release(container.details.name);
  await rm(containerFolder(context, id), { recursive: true, force: true });
  if (withVolumes) await removeVolumes(context, container);
  emitContainer(context.events, container, "destroy");
}

async function removeVolumes(context: DockerContext, container: DockerContainer): Promise<void> {
  for (const { name, isAnonymous } of container.details.mounts) {
    if (name === undefined || !isAnonymous) continue;
    // Another container may have taken it over.
    await context.volumes.remove(name).catch(() => undefined);
  }
}
