import { ImageNotFound } from "../../images/image-store.ts";
import type { StoredImage } from "../../images/stored-image.ts";
import type { DockerContext } from "../docker-context.ts";
import { notFound } from "../http/docker-error.ts";

/** Finds an image by a name, its ID, or the beginning of its ID. */
export function findImage(
  { images }: Pick<DockerContext, "images">,
  nameOrId: string,
): StoredImage {
  const found = images.store.resolve(nameOrId);
  if (found) return found;
  throw notFound(new ImageNotFound(nameOrId).message);
}
