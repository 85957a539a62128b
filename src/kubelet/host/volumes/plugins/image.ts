import type { VolumePlugin } from "../volume-plugin.ts";

/** The files of images. The runtime mounts them, after the image was pulled like that of a container. */
export const imagePlugin: VolumePlugin = {
  name: "kubernetes.io/image",
  supports: ({ source }) => source.image !== undefined,
  async setUp({ volume: { source } }) {
    const { reference = "" } = source.image ?? {};
    return { path: "", image: reference, isReadOnly: true, isManaged: true };
  },
};
