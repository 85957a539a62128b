import type { SavedImage } from "./archive/save-archive.ts";
import { ImageNotFound, type ImageStore } from "./image-store.ts";
import { parseReference, type Reference, repositoryOf } from "./reference.ts";
import type { StoredImage } from "./stored-image.ts";

/**
 * The images that names stand for in `docker save`: a repository alone stands for all its tags, and an ID for an
 * image without tags.
 */
export function chooseSaved(store: ImageStore, names: readonly string[]): readonly SavedImage[] {
  const chosen = new Map<string, { image: StoredImage; tags: Map<string, Reference> }>();
  const choose = (image: StoredImage, tags: readonly string[]): void => {
    const entry = chosen.get(image.id) ?? { image, tags: new Map() };
    for (const tag of tags) entry.tags.set(tag, parseReference(tag));
    chosen.set(image.id, entry);
  };
  for (const name of names) {
    const found = taggedWith(store, name);
    for (const { image, tags } of found) choose(image, tags);
    if (found.length > 0) continue;
    const image = store.resolve(name);
    if (image === undefined) throw new ImageNotFound(name);
    choose(image, []);
  }
  return [...chosen.values()].map(({ image, tags }) => ({ image, tags: [...tags.values()] }));
}

/** The images with a tag that a name stands for, with these tags. */
function taggedWith(store: ImageStore, name: string): { image: StoredImage; tags: string[] }[] {
  const wanted = parsed(name);
  if (wanted === undefined || wanted.digest !== undefined) return [];
  return store
    .list()
    .map((image) => ({
      image,
      tags: image.tags.filter((tag) => {
        const reference = parseReference(tag);
        const isSame = repositoryOf(reference) === repositoryOf(wanted);
        return isSame && (wanted.tag === undefined || wanted.tag === reference.tag);
      }),
    }))
    .filter(({ tags }) => tags.length > 0);
}

function parsed(name: string): Reference | undefined {
  try {
    return parseReference(name);
  } catch {
    return undefined;
  }
}
