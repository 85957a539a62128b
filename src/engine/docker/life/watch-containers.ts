import type { ContainerChange } from "../../containers/containers.ts";
import { asDockerContainer, type DockerContainer } from "../create/docker-details.ts";
import type { DockerContext } from "../docker-context.ts";
import { closeNetwork } from "../network/container-network.ts";
import { emitContainer } from "./container-events.ts";
import { removeContainer } from "./remove-container.ts";
import { removeLeftovers } from "./remove-leftovers.ts";
import { isStartedWithEngine } from "./restart-decision.ts";
import { closeShm } from "./shared-memory.ts";
import { noticeStart, runContainer } from "./start-container.ts";

/** Reacts to what happens to containers: events, restarts and removals. Returns how to stop. */
export function watchContainers(context: DockerContext): () => void {
  return context.containers.onChange((change) => {
    const container = asDockerContainer(change.container);
    if (container) react(context, change.type, container);
  });
}

/** Brings what a killed engine left to the state that policies want. */
export async function takeOver(context: DockerContext): Promise<void> {
  const { log } = context;
  await removeLeftovers(context);
  // What is wrong with one container must not keep the others from being served.
  for (const container of context.registry.list())
    await takeOverOne(context, container).catch((error) =>
      log.error("taking over a container failed", error, { id: container.id }),
    );
  await context.networks
    .takeOver()
    .catch((error) => log.error("taking over the networks failed", error));
}

async function takeOverOne(context: DockerContext, container: DockerContainer): Promise<void> {
  const { id, state, details } = container;
  if (state.phase === "running") {
    context.health.watch(container);
    for (const name of Object.keys(details.endpoints))
      await context.networks.ensure(context.networks.find(name));
    return;
  }
  await closeNetwork(context, id);
  if (state.phase === "created") return;
  const { RestartPolicy: policy, AutoRemove } = details.hostConfig;
  if (AutoRemove) return removeContainer(context, id, { withVolumes: true });
  const exitCode = state.phase === "exited" ? state.exitCode : 0;
  const { restartCount, isStoppedByClient } = details;
  await context.registry.change(id, () => ({ isRestarting: false }));
  if (isStartedWithEngine({ policy, exitCode, restartCount, isStoppedByClient }))
    void context.registry
      .alone(id, () => runContainer(context, context.registry.find(id)))
      .catch((error) => context.log.error("starting a container failed", error, { id }));
}

function react(
  context: DockerContext,
  type: ContainerChange["type"],
  container: DockerContainer,
): void {
  const { events } = context;
  if (type === "started") noticeStart(context, container);
  if (type === "paused") emitContainer(events, container, "pause");
  if (type === "unpaused") emitContainer(events, container, "unpause");
  if (type === "oom") emitContainer(events, container, "oom");
  if (type !== "exited") return;
  // Before any other work on it: a new start needs what the old one still has.
  void context.registry
    .alone(container.id, () => ended(context, container))
    .catch((error) =>
      context.log.error("handling the end of a container failed", error, { id: container.id }),
    );
}

async function ended(context: DockerContext, container: DockerContainer): Promise<void> {
  const { id, state, details } = container;
  // One that could not be started is cleaned up by who tried to.
  if (state.phase !== "exited" || state.startedAt === 0) return;
  const execDuration = String(Math.round((state.finishedAt - state.startedAt) / 1000));
  emitContainer(context.events, container, "die", {
    execDuration,
    exitCode: String(state.exitCode),
  });
  context.health.pause(id);
  const current = context.registry.get(id);
  if (!current || context.registry.isLeaving(id)) return;
  await closeNetwork(context, id);
  await closeShm(context, id);
  const isPlanned = await context.restarts.plan(context, { ...current, state });
  if (!isPlanned && details.hostConfig.AutoRemove && !context.registry.isLeaving(id))
    await removeContainer(context, id, { withVolumes: true });
}
