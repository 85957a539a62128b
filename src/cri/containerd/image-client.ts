import type {
  Image,
  ImageFsInfo,
  ImageService,
  ImageStatusOptions,
  PullOptions,
} from "../image-service.ts";
import { RuntimeError } from "../runtime-service.ts";
import { filesystemFromWire } from "../wire/container-stats.ts";
import { authToWire, imageFromWire } from "../wire/image.ts";
import { imageMethods as methods } from "../wire/messages/image-methods.ts";
import { infoFromWire } from "../wire/runtime-status.ts";
import { sandboxConfigToWire } from "../wire/sandbox-config.ts";
import type { CriCalls } from "./cri-calls.ts";

/** The images of a runtime behind gRPC. */
export class ImageClient implements ImageService {
  readonly #calls: CriCalls;

  constructor(calls: CriCalls) {
    this.#calls = calls;
  }

  async imageStatus(
    name: string,
    { verbose, runtimeHandler }: ImageStatusOptions = {},
  ): Promise<Image | undefined> {
    const image = { image: name, runtime_handler: runtimeHandler };
    const response = await this.#calls.call(methods.imageStatus, { image, verbose });
    if (!response.image) return undefined;
    return { ...imageFromWire(response.image), ...(verbose && infoFromWire(response)) };
  }

  async pullImage(name: string, options: PullOptions = {}): Promise<Image> {
    const { sandbox, auth, annotations, runtimeHandler, signal } = options;
    const { image_ref } = await this.#calls.call(
      methods.pullImage,
      {
        image: { image: name, annotations, runtime_handler: runtimeHandler },
        auth: auth && authToWire(auth),
        sandbox_config: sandbox && sandboxConfigToWire(sandbox),
      },
      // A large image takes as long as it takes; the runtime notices when nothing arrives.
      { signal, timeoutMs: undefined },
    );
    const pulled = await this.imageStatus(image_ref, { runtimeHandler });
    if (!pulled)
      throw new RuntimeError("NotFound", `image ${JSON.stringify(image_ref)}: not found`);
    return pulled;
  }

  async listImages(name?: string): Promise<readonly Image[]> {
    const filter = name === undefined ? undefined : { image: { image: name } };
    const { images } = await this.#calls.call(methods.listImages, { filter });
    return images.map(imageFromWire).sort((a, b) => b.sizeBytes - a.sizeBytes);
  }

  async removeImage(name: string): Promise<void> {
    await this.#calls.end(methods.removeImage, { image: { image: name } });
  }

  async imageFsInfo(): Promise<ImageFsInfo> {
    const response = await this.#calls.call(methods.imageFsInfo, {});
    return {
      images: response.image_filesystems.map(filesystemFromWire),
      containers: response.container_filesystems.map(filesystemFromWire),
    };
  }
}
