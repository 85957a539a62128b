import type { ImageService } from "../../../cri/image-service.ts";
import { filesystemToWire } from "../../../cri/wire/container-stats.ts";
import { authFromWire, imageToWire } from "../../../cri/wire/image.ts";
import { imageMethods } from "../../../cri/wire/messages/image-methods.ts";
import { sandboxConfigFromWire } from "../../../cri/wire/sandbox-config.ts";
import type { GrpcHandler } from "../../../platform/grpc/grpc-server.ts";
import { handle, handleList } from "./cri-handler.ts";

/** The methods about images. */
export const imageHandlers = (images: ImageService): readonly GrpcHandler[] => [
  handle(imageMethods.listImages, async ({ filter }) => ({
    images: (await images.listImages(filter?.image?.image || undefined)).map(imageToWire),
  })),
  handleList(
    imageMethods.streamImages,
    ({ filter }) => images.listImages(filter?.image?.image || undefined),
    (listed) => ({ images: listed.map(imageToWire) }),
  ),
  handle(imageMethods.imageStatus, async ({ image, verbose }) => {
    const { image: name = "", runtime_handler: runtimeHandler = "" } = image ?? {};
    const status = await images.imageStatus(name, { verbose, runtimeHandler });
    return { image: status && imageToWire(status), info: status?.info };
  }),
  handle(imageMethods.pullImage, async ({ image, auth, sandbox_config }, { signal }) => {
    const { id } = await images.pullImage(image?.image ?? "", {
      annotations: image?.annotations,
      runtimeHandler: image?.runtime_handler,
      auth: auth && authFromWire(auth),
      sandbox: sandbox_config && sandboxConfigFromWire(sandbox_config),
      signal,
    });
    return { image_ref: id };
  }),
  handle(imageMethods.removeImage, async ({ image }) => {
    await images.removeImage(image?.image ?? "");
    return {};
  }),
  handle(imageMethods.imageFsInfo, async () => {
    const usage = await images.imageFsInfo();
    return {
      image_filesystems: usage.images.map(filesystemToWire),
      container_filesystems: usage.containers.map(filesystemToWire),
    };
  }),
];
