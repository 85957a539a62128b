import { imageNameProblem, parseImageName } from "../../../api/core/v1/container/image-name.ts";
import { aggregateMessage } from "../../../base/aggregate-message.ts";
import { errorMessage } from "../../../base/error-message.ts";
import type { Image, ImageService, RegistryAuth } from "../../../cri/image-service.ts";
import type { PodSandboxConfig } from "../../../cri/runtime-types.ts";
import { formatDuration } from "../../../schema/values/duration.ts";
import { createPullQueue, type PullQueue } from "../../images/pull-queue.ts";
import type { KubeletEvent } from "../../kubelet-events.ts";
import type { Leaving } from "../leaving.ts";
import type { PodSurroundings } from "../pod-surroundings.ts";
import type { BackoffTable } from "./backoff-table.ts";
import type { StartFailure } from "./container-statuses.ts";
import { type NodeCredentials, type PullSecret, pullSecretCredentials } from "./pull-secrets.ts";

export interface ImageRequest {
  readonly image: string;
  readonly pullPolicy: string | undefined;
  /** Records an event of the container or the pod that needs the image. */
  readonly record: (event: KubeletEvent) => void;
  readonly sandbox: PodSandboxConfig;
  readonly backoff: BackoffTable;
  /** Why pulls of this pod have failed, by image. */
  readonly pullErrors: Map<string, string>;
  readonly pullSecrets: readonly PullSecret[];
  readonly leaving: Leaving;
}

/** Pulls an image if needed; resolves with the image, or with the error. */
export async function ensureImage(
  request: ImageRequest,
  { images, credentials, clock, pulls }: Surroundings,
): Promise<Image | StartFailure> {
  const { image, pullPolicy: policy, record, pullSecrets } = request;
  const problem = imageNameProblem(image);
  if (problem !== undefined) {
    const message = `Failed to apply default image tag ${quoted(image)}: couldn't parse image name ${quoted(image)}: ${problem}`;
    record({ type: "Warning", reason: "InspectFailed", message });
    return { reason: "InvalidImageName", message };
  }
  const present = policy === "Always" ? undefined : await inspect(image, images);
  if (present && "reason" in present) {
    record({ type: "Warning", reason: "InspectFailed", message: present.message });
    return present;
  }
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
  const auths = await authsFor(image, pullSecrets, credentials).catch(errorMessage);
  if (typeof auths === "string") return { reason: auths, message: auths };
  return pull(request, { images, clock, pulls, auths });
}

type Surroundings = Pick<PodSurroundings, "images" | "credentials" | "clock" | "pulls">;

/** The status of an image, or why the runtime cannot tell it. */
async function inspect(
  image: string,
  images: Pick<ImageService, "imageStatus">,
): Promise<Image | StartFailure | undefined> {
  try {
    return await images.imageStatus(image);
  } catch (error) {
    // Upstream has no reference to name at this point.
    const message = `Failed to inspect image "": ${errorMessage(error)}`;
    return { reason: "ImageInspectError", message };
  }
}

interface Pulling extends Pick<PodSurroundings, "images" | "clock" | "pulls"> {
  /** In the order in which they are tried; without any, the pull is anonymous. */
  readonly auths: readonly RegistryAuth[];
}

async function pull(
  { image, record, sandbox, backoff, pullErrors, leaving }: ImageRequest,
  { images, clock, pulls = unlimitedPulls(clock), auths }: Pulling,
): Promise<Image | StartFailure> {
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
    const { result: pulled, tookMs } = await pulls.run(
      () =>
        pullWithAny(auths, (auth) =>
          images.pullImage(image, { sandbox, signal, ...(auth && { auth }) }),
        ),
      signal,
    );
    const waited = durationText(clock.now() - start);
    const message = `Successfully pulled image ${quoted(image)} in ${durationText(tookMs)} (${waited} including waiting). Image size: ${pulled.sizeBytes} bytes.`;
    record({ type: "Normal", reason: "Pulled", message });
    return pulled;
  } catch (error) {
    signal.throwIfAborted();
    const why = errorMessage(error);
    record({
      type: "Warning",
      reason: "Failed",
      message: `Failed to pull image ${quoted(image)}: ${why}`,
    });
    backoff.next(key, clock.now());
    const failure = pullFailure(image, why);
    pullErrors.set(image, `${failure.reason}: ${failure.message}`);
    return failure;
  }
}

/** The words of errors that runtimes mark by the begin of their message. */
const markedErrors = {
  RegistryUnavailable: "the registry is unavailable",
  SignatureValidationFailed: "the signature validation failed",
} as const;

/** Why a pull has failed: a registry may be unavailable, or a signature invalid. */
export function pullFailure(image: string, why: string): StartFailure {
  for (const [reason, words] of Object.entries(markedErrors))
    if (why.startsWith(reason)) {
      const message = `image pull failed for ${image} because ${words}${why.slice(reason.length)}`;
      return { reason, message };
    }
  return { reason: "ErrImagePull", message: why };
}

/** The credentials of a pod come first. Nodes without credentials ignore those of pods. */
async function authsFor(
  image: string,
  pullSecrets: readonly PullSecret[],
  credentials: NodeCredentials | undefined,
): Promise<readonly RegistryAuth[]> {
  const name = parseImageName(image);
  if (!credentials || !name) return [];
  const repository = `${name.domain}/${name.path}`;
  const own = pullSecretCredentials(pullSecrets, repository);
  return [...own, ...(await credentials.forImage(repository))];
}

/** Tries credentials until one succeeds; rejects with the messages of all. */
async function pullWithAny(
  auths: readonly RegistryAuth[],
  pullWith: (auth?: RegistryAuth) => Promise<Image>,
): Promise<Image> {
  if (auths.length === 0) return pullWith();
  const messages: string[] = [];
  for (const auth of auths) {
    try {
      return await pullWith(auth);
    } catch (error) {
      messages.push(errorMessage(error));
    }
  }
  throw new Error(aggregateMessage(messages));
}

const durationText = (ms: number): string => formatDuration(BigInt(Math.trunc(ms)) * 1_000_000n);

const unlimitedPulls = (clock: PodSurroundings["clock"]): PullQueue =>
  createPullQueue({ mostAtOnce: undefined, perSecond: 0, burst: 0 }, clock);

const quoted = (text: string): string => JSON.stringify(text);
