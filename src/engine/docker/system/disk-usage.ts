import type { DockerContext } from "../docker-context.ts";
import { badRequest } from "../http/docker-error.ts";
import { listedImages } from "../images/list-images.ts";
import { listed } from "../show/list-containers.ts";
import { shown } from "../volumes/volume-routes.ts";

/** What images, containers and volumes hold on disk: all of them, or some kinds. */
export async function diskUsage(context: DockerContext, types: readonly string[]): Promise<object> {
  const wrong = types.find(
    (type) => !["container", "image", "volume", "build-cache"].includes(type),
  );
  if (wrong !== undefined) throw badRequest(`unknown object type: ${wrong}`);
  const wants = (type: string): boolean => types.length === 0 || types.includes(type);
  return {
    LayersSize: wants("image") ? await layersSize(context) : 0,
    ...(wants("image") && {
      Images: await listedImages(context, context.images.store.list(), true),
    }),
    ...(wants("container") && {
      Containers: await Promise.all(
        context.registry.list().map((container) => listed(context, container, true)),
      ),
    }),
    ...(wants("volume") && { Volumes: await Promise.all(volumesOf(context)) }),
    BuildCache: [],
    BuilderSize: 0,
  };
}

async function layersSize({ images, snapshots }: DockerContext): Promise<number> {
  const layers = new Set(images.store.list().flatMap((image) => image.layers));
  const usages = await Promise.all(
    [...layers].map((layer) => snapshots.layerUsage(layer).catch(() => ({ bytes: 0 }))),
  );
  return usages.reduce((sum, { bytes }) => sum + bytes, 0);
}

const volumesOf = ({ volumes }: DockerContext): Promise<object>[] =>
  volumes.list().map(async (volume) => ({
    ...shown(volumes, volume),
    UsageData: {
      RefCount: volumes.users(volume.name).length,
      Size: await volumes.size(volume.name),
    },
  }));
