import type { DockerContext } from "../docker-context.ts";
import { booleanFilter, hasLabel, parseFilters, passesLabels } from "../http/filters.ts";
import { pruneLimit } from "../system/prune-limit.ts";
import { createdAt, imageSize } from "./list-images.ts";
import { removeImage } from "./remove-image.ts";

/** Removes images without a name, or with `dangling=false` all that no container uses. */
export async function pruneImages(
  context: DockerContext,
  filterText: string | null,
): Promise<{ ImagesDeleted: readonly object[] | null; SpaceReclaimed: number }> {
  const filters = parseFilters(filterText, ["dangling", "label", "label!", "until"]);
  const onlyDangling = booleanFilter(filters, "dangling") ?? true;
  const before = pruneLimit(filters, context.clock.now());
  const used = new Set(context.registry.list().map(({ details }) => details.imageId));
  const deleted: object[] = [];
  let space = 0;
  for (const image of context.images.store.list()) {
    const labels = image.config.config?.Labels ?? {};
    const isKept =
      used.has(image.id) ||
      (onlyDangling && image.tags.length > 0) ||
      createdAt(image) >= before ||
      !passesLabels(filters, labels) ||
      (filters.get("label!") ?? []).some((label) => hasLabel(labels, label));
    if (isKept) continue;
    const size = await imageSize(context, image);
    const results = await removeImage(context, image.id, true);
    deleted.push(...results);
    if (results.some((result) => "Deleted" in result)) space += size;
  }
  return { ImagesDeleted: deleted.length > 0 ? deleted : null, SpaceReclaimed: space };
}
