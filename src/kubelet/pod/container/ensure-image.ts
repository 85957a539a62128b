import type { Container } from "../../../api/core/v1/container/container.ts";
import { imageNameProblem } from "../../../api/core/v1/container/image-name.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { errorMessage } from "../../../base/error-message.ts";
import type { Image } from "../../../cri/image-service.ts";
import type { PodSandboxConfig } from "../../../cri/runtime-types.ts";
import { formatDuration } from "../../../schema/values/duration.ts";
import type { KubeletEvent } from "../../kubelet-events.ts";
import type { Leaving } from "../leaving.ts";
import type { PodSurroundings } from "../pod-surroundings.ts";
import type { BackoffTable } from "./backoff-table.ts";
import type { StartFailure } from "./container-statuses.ts";

export interface ImageRequest {
  readonly pod: Pod;
  readonly container: Pick<Container, "name" | "image" | "imagePullPolicy">;
  readonly sandbox: PodSandboxConfig;
  readonly backoff: BackoffTable;
  /** Why pulls of this pod have failed, by image. */
  readonly pullErrors: Map<string, string>;
  readonly leaving: Leaving;
}

/** Pulls the image of a container if needed; resolves with the image, or with the error. */
export async function ensureImage(
  request: ImageRequest,
  { images, events, clock }: Pick<PodSurroundings, "images" | "events" | "clock">,
): Promise<Image | StartFailure> {
  const { pod, container } = request;
  const { image = "", imagePullPolicy: policy } = container;
  const record = (event: KubeletEvent): void => events.container(pod, container.name, event);
  const problem = imageNameProblem(image);
  if (problem !== undefined) {
    const message = `Failed to apply default image tag ${quoted(image)}: couldn't parse image name ${quoted(image)}: ${problem}`;
    record({ type: "Warning", reason: "InspectFailed", message });
    return { reason: "InvalidImageName", message };
  }
  const present = policy === "Always" ? undefined : await images.imageStatus(image);
  if (present) {
    const message = `Container image ${quoted(image)} already present on machine and can be accessed by the pod`;
    record({ type: "Normal", reason: "Pulled", message });
    return present;
  }
  if (policy === "Never") {
    const message = `Container image ${quoted(image)} is not present with pull policy of Never`;
    record({ type: "Warning", reason: "ErrImageNeverPull", message });
    return { reason: "ErrImageNeverPull", message };
  }
  return pull(request, { images, clock, record });
}

interface Pulling extends Pick<PodSurroundings, "images" | "clock"> {
  readonly record: (event: KubeletEvent) => void;
}

async function pull(
  { container, sandbox, backoff, pullErrors, leaving }: ImageRequest,
  { images, clock, record }: Pulling,
): Promise<Image | StartFailure> {
  const { image = "" } = container;
  const { signal } = leaving;
  const key = `image/${image}`;
  if (backoff.waitSinceUpdate(key) > 0) {
    const message = `Back-off pulling image ${quoted(image)}`;
    record({ type: "Normal", reason: "BackOff", message });
    const before = pullErrors.get(image);
    const whole = before === undefined ? message : `${message}: ${before}`;
    return { reason: "ImagePullBackOff", message: whole };
  }
  pullErrors.delete(image);
  record({ type: "Normal", reason: "Pulling", message: `Pulling image ${quoted(image)}` });
  const start = clock.now();
  try {
    const pulled = await images.pullImage(image, { sandbox, signal });
    const took = formatDuration(BigInt(Math.round(clock.now() - start)) * 1_000_000n);
    const message = `Successfully pulled image ${quoted(image)} in ${took} (${took} including waiting). Image size: ${pulled.sizeBytes} bytes.`;
    record({ type: "Normal", reason: "Pulled", message });
    return pulled;
  } catch (error) {
    signal.throwIfAborted();
    const why = errorMessage(error);
    const message = `Failed to pull image ${quoted(image)}: ${why}`;
    record({ type: "Warning", reason: "Failed", message });
    backoff.next(key, clock.now());
    pullErrors.set(image, `ErrImagePull: ${why}`);
    return { reason: "ErrImagePull", message: why };
  }
}

const quoted = (text: string): string => JSON.stringify(text);
