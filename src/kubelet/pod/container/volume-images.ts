import type { Container } from "../../../api/core/v1/container/container.ts";
import type { EphemeralContainer } from "../../../api/core/v1/container/ephemeral-container.ts";
import type { Image } from "../../../cri/image-service.ts";
import type { KubeletEvent } from "../../kubelet-events.ts";
import type { PodSurroundings } from "../pod-surroundings.ts";
import { sandboxConfig } from "./container-config.ts";
import type { StartFailure } from "./container-statuses.ts";
import { ensureImage, type ImageRequest } from "./ensure-image.ts";

/** The images of a pod's volumes, or why they cannot be used, by the names of the volumes. */
export type VolumeImages = ReadonlyMap<string, Image | StartFailure>;

export interface VolumeImagesRequest
  extends Omit<ImageRequest, "image" | "pullPolicy" | "record" | "sandbox"> {
  readonly attempt: number;
}

/** Pulls the images of a pod's volumes if needed, before a container starts. */
export async function ensureVolumeImages(
  request: VolumeImagesRequest,
  around: PodSurroundings,
): Promise<VolumeImages> {
  const { pod, attempt } = request;
  const volumes = (pod.spec.volumes ?? []).filter(({ image }) => image);
  const found = new Map<string, Image | StartFailure>();
  if (volumes.length === 0) return found;
  const sandbox = await around.host.sandbox(sandboxConfig(pod, attempt), pod);
  const record = (event: KubeletEvent): void => around.events.pod(pod, event);
  for (const { name, image: { reference: image = "", pullPolicy } = {} } of volumes)
    found.set(name, await ensureImage({ ...request, image, pullPolicy, record, sandbox }, around));
  return found;
}

/** Why a container cannot start: the last of its volumes whose image is missing counts. */
export function missingVolumeImage(
  { volumeMounts = [] }: Container | EphemeralContainer,
  images: VolumeImages,
  record: (event: KubeletEvent) => void,
): StartFailure | undefined {
  let last: StartFailure | undefined;
  for (const { name } of volumeMounts) {
    const image = images.get(name);
    if (!image || !("reason" in image)) continue;
    record({ type: "Warning", reason: "Failed", message: `Error: ${image.reason}` });
    last = image;
  }
  return last;
}
