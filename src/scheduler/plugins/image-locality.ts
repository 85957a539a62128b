import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { stateKey } from "../framework/cycle-state.ts";
import { maxNodeScore, type PluginFactory } from "../framework/plugin.ts";
import { skip } from "../framework/status.ts";

interface Wanted {
  readonly images: readonly string[];
  readonly containers: number;
}

const wanted = stateKey<Wanted>("PreScoreImageLocality");
const megabyte = 1024 * 1024;
const least = 23 * megabyte;
const mostOfContainer = 1000 * megabyte;

/** Prefers nodes that have a pod's images; images on many nodes count more. */
export const imageLocality: PluginFactory = (_, { snapshot }) => ({
  name: "ImageLocality",
  preScore(state, { pod }) {
    const images = imagesOf(pod);
    // Images that no node has make no difference.
    if (!images.some((name) => snapshot.image(name))) return skip;
    const { containers, initContainers = [] } = pod.spec;
    state.write(wanted, { images, containers: containers.length + initContainers.length });
    return undefined;
  },
  score(state, _pod, { images: present }) {
    const { images = [], containers = 0 } = state.read(wanted) ?? {};
    let sum = 0;
    for (const name of images) {
      const image = present.get(name);
      if (image) sum += Math.trunc(image.size * (image.nodes / snapshot.nodes.length));
    }
    return imageScore(sum, containers);
  },
});

/** From 0 for 23 MB and less to 100 for 1000 MB and more per container. */
export function imageScore(bytes: number, containers: number): number {
  const most = mostOfContainer * containers;
  const counted = Math.min(Math.max(bytes, least), most);
  return Math.trunc((maxNodeScore * (counted - least)) / (most - least));
}

function imagesOf({ spec }: Pod): readonly string[] {
  const { containers, initContainers = [], volumes = [] } = spec;
  const names = [...initContainers, ...containers].map(({ image = "" }) => image);
  for (const { image } of volumes) if (image) names.push(image.reference ?? "");
  return names.map(withTag);
}

/** Nodes list images with a tag. */
const withTag = (name: string): string =>
  name.lastIndexOf(":") <= name.lastIndexOf("/") ? `${name}:latest` : name;
