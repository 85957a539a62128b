import type { StoredImage } from "../../images/stored-image.ts";
import type { DockerContext } from "../docker-context.ts";
import {
  booleanFilter,
  type Filters,
  parseFilters,
  passes,
  passesLabels,
} from "../http/filters.ts";
import { pruneLimit } from "../system/prune-limit.ts";
import { findImage } from "./find-image.ts";
import { familiarDigests, familiarTags, matchesReference } from "./image-names.ts";

/** The images that `docker images` lists, the newest first. */
export async function listImages(
  context: DockerContext,
  query: URLSearchParams,
): Promise<readonly object[]> {
  const filters = parseFilters(query.get("filters"), [
    "before",
    "dangling",
    "label",
    "reference",
    "since",
    "until",
  ]);
  const filter = query.get("filter") ?? "";
  const images = context.images.store.list();
  const wanted = images
    .filter((image) => isWanted(context, image, filters))
    .flatMap((image) =>
      withMatchingNames(image, filter === "" ? filters.get("reference") : [filter]),
    );
  return listedImages(context, wanted, false);
}

/** Images as clients read them; who uses them is counted on demand. */
export function listedImages(
  context: DockerContext,
  images: readonly StoredImage[],
  counts: boolean,
): Promise<readonly object[]> {
  const containers = counts ? context.registry.list() : [];
  const users = (id: string): number =>
    containers.filter(({ details }) => details.imageId === id).length;
  return Promise.all(
    images.map(async (image) => ({
      Containers: counts ? users(image.id) : -1,
      Created: Math.floor(createdAt(image) / 1000),
      Id: image.id,
      Labels: image.config.config?.Labels ?? null,
      ParentId: "",
      RepoDigests: familiarDigests(image),
      RepoTags: familiarTags(image),
      SharedSize: counts ? await sharedSize(context, image) : -1,
      Size: await imageSize(context, image),
    })),
  );
}

/** The bytes of an image's files on disk. */
export async function imageSize(
  { snapshots }: Pick<DockerContext, "snapshots">,
  { layers }: StoredImage,
): Promise<number> {
  const usages = await Promise.all(
    layers.map((layer) => snapshots.layerUsage(layer).catch(() => ({ bytes: 0 }))),
  );
  return usages.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** When an image was made, in milliseconds. */
export const createdAt = ({ config }: StoredImage): number => Date.parse(config.created ?? "") || 0;

async function sharedSize(context: DockerContext, image: StoredImage): Promise<number> {
  const others = context.images.store.list().filter(({ id }) => id !== image.id);
  const shared = image.layers.filter((layer) =>
    others.some(({ layers }) => layers.includes(layer)),
  );
  return imageSize(context, { ...image, layers: shared });
}

function isWanted(context: DockerContext, image: StoredImage, filters: Filters): boolean {
  const dangling = booleanFilter(filters, "dangling");
  if (dangling !== undefined && dangling !== (image.tags.length === 0)) return false;
  const than = (name: string): number => createdAt(findImage(context, name));
  return (
    passes(filters, "before", (name) => createdAt(image) < than(name)) &&
    passes(filters, "since", (name) => createdAt(image) > than(name)) &&
    createdAt(image) < pruneLimit(filters, context.clock.now()) &&
    passesLabels(filters, image.config.config?.Labels ?? {})
  );
}

/** An image with those of its names that match; none if it has none of them. */
function withMatchingNames(
  image: StoredImage,
  patterns: readonly string[] | undefined,
): readonly StoredImage[] {
  if (patterns === undefined || patterns.length === 0) return [image];
  const matches = (name: string): boolean =>
    patterns.some((pattern) => matchesReference(name, pattern));
  const tags = image.tags.filter(matches);
  const digests = image.digests.filter(matches);
  return tags.length + digests.length > 0 ? [{ ...image, tags, digests }] : [];
}
