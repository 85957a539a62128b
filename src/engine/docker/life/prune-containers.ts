import type { DockerContainer } from "../create/docker-details.ts";
import type { DockerContext } from "../docker-context.ts";
import { type Filters, hasLabel, parseFilters, passesLabels } from "../http/filters.ts";
import { statusWord } from "../show/docker-state.ts";
import { pruneLimit } from "../system/prune-limit.ts";
import { removeForClient } from "./remove-container.ts";

/** Removes all containers that do not run. */
export async function pruneContainers(
  context: DockerContext,
  filterText: string | null,
): Promise<{ ContainersDeleted: string[] | null; SpaceReclaimed: number }> {
  const filters = parseFilters(filterText, ["label", "label!", "until"]);
  const before = pruneLimit(filters, context.clock.now());
  const deleted: string[] = [];
  let space = 0;
  for (const container of context.registry.list()) {
    if (!isPruned(container, filters, before)) continue;
    const { bytes } = await context.snapshots.usage(container.id);
    await removeForClient(context, container.id, { force: false, withVolumes: false });
    deleted.push(container.id);
    space += bytes;
  }
  context.events.emit({
    type: "container",
    action: "prune",
    id: "",
    attributes: { reclaimed: String(space) },
  });
  return { ContainersDeleted: deleted.length > 0 ? deleted : null, SpaceReclaimed: space };
}

function isPruned(container: DockerContainer, filters: Filters, before: number): boolean {
  const word = statusWord(container);
  const labels = container.details.config.Labels ?? {};
  return (
    (word === "created" || word === "exited") &&
    container.state.phase !== "starting" &&
    container.createdAt < before &&
    passesLabels(filters, labels) &&
    !(filters.get("label!") ?? []).some((label) => hasLabel(labels, label))
  );
}
