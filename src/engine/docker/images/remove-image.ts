import { ImageNotFound } from "../../images/image-store.ts";
import { ImageConflict } from "../../images/plan-removal.ts";
import type { DockerContext } from "../docker-context.ts";
import { conflict, notFound } from "../http/docker-error.ts";
import { emitImage } from "./image-events.ts";

/** Removes a name or an image; what was removed is told in docker's words. */
export async function removeImage(
  context: DockerContext,
  name: string,
  force: boolean,
): Promise<readonly object[]> {
  const image = context.images.store.resolve(name);
  try {
    const results = await context.images.remove(name, { force });
    for (const result of results)
      if ("Untagged" in result) emitImage(context, "untag", image?.id ?? "", image?.id ?? "");
    if (image && results.some((result) => "Deleted" in result))
      emitImage(context, "delete", image.id, image.id);
    return results;
  } catch (error) {
    if (error instanceof ImageNotFound) throw notFound(error.message);
    if (error instanceof ImageConflict) throw conflict(error.message);
    throw error;
  }
}
