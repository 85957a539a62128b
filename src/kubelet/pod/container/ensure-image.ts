import { imageNameProblem, parseImageName } from "../../../api/core/v1/container/image-name.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { aggregateMessage } from "../../../base/aggregate-message.ts";
import { errorMessage } from "../../../base/error-message.ts";
import type { Image, ImageService, RegistryAuth } from "../../../cri/image-service.ts";
import type { PodSandboxConfig } from "../../../cri/runtime-types.ts";
import { formatDuration } from "../../../schema/values/duration.ts";
import type { ImageAccess } from "../../images/access/image-access.ts";
import { openImages } from "../../images/access/open-images.ts";
import { createPullQueue, type PullQueue } from "../../images/pull-queue.ts";
import type { KubeletEvent } from "../../kubelet-events.ts";
import type { Leaving } from "../leaving.ts";
import type { PodSurroundings } from "../pod-surroundings.ts";
import type { BackoffTable } from "./backoff-table.ts";
import type { StartFailure } from "./container-statuses.ts";
import type { ImageCredential } from "./image-credential.ts";
import { type PullSecret, pullSecretCredentials } from "./pull-secrets.ts";

export interface ImageRequest {
  readonly pod: Pod;
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
  /** Called after a pull with the time that it took, with waiting. */
  readonly pulled?: ((ms: number) => void) | undefined;
}

/** Pulls an image if needed; resolves with the image, or with the error. */
export async function ensureImage(
  request: ImageRequest,
  around: Surroundings,
): Promise<Image | StartFailure> {
  const found: FoundImage = {};
  try {
    return await ensure(request, around, found);
  } finally {
    around.workerMetrics?.ensuredImage({ pullPolicy: request.pullPolicy ?? "", ...found });
  }
}

type Surroundings = Pick<
  PodSurroundings,
  "images" | "credentials" | "imageAccess" | "clock" | "pulls" | "workerMetrics"
>;

/** What has become known of an image so far. */
interface FoundImage {
  isPresent?: boolean;
  mustPull?: boolean;
}

async function ensure(
  request: ImageRequest,
  around: Surroundings,
  found: FoundImage,
): Promise<Image | StartFailure> {
  const { image, pullPolicy: policy, record } = request;
  const { imageAccess = openImages } = around;
  const problem = imageNameProblem(image);
  if (problem !== undefined) {
    const message = `Failed to apply default image tag ${quoted(image)}: couldn't parse image name ${quoted(image)}: ${problem}`;
    record({ type: "Warning", reason: "InspectFailed", message });
    return { reason: "InvalidImageName", message };
  }
  const present = policy === "Always" ? undefined : await inspect(image, around.images);
  if (present && "reason" in present) {
    record({ type: "Warning", reason: "InspectFailed", message: present.message });
    return present;
  }
  if (policy !== "Always") found.isPresent = present !== undefined;
  let lookup: Promise<readonly ImageCredential[]> | undefined;
  const credentials = () => (lookup ??= credentialsFor(request, around));
  try {
    if (present) {
      const imageRef = present.id;
      found.mustPull = await imageAccess.mustPull({ image, imageRef, credentials });
      if (!found.mustPull) {
        const message = `Container image ${quoted(image)} already present on machine${imageAccess.remark}`;
        record({ type: "Normal", reason: "Pulled", message });
        return present;
      }
    }
    // That an image is present is not shown to those who may not use it.
    if (policy === "Never") {
      const message = `Container image ${quoted(image)} is not present with pull policy of Never`;
      record({ type: "Warning", reason: "ErrImageNeverPull", message });
      return { reason: "ErrImageNeverPull", message };
    }
    found.mustPull = true;
    return await pull(request, { ...around, imageAccess, credentials: await credentials() });
  } catch (error) {
    if (!(error instanceof CredentialsError)) throw error;
    return { reason: error.message, message: error.message };
  }
}

/** The credentials of a pod for an image could not be determined. */
class CredentialsError extends Error {
  override readonly name = "CredentialsError";
}

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
  readonly imageAccess: ImageAccess;
  /** In the order in which they are tried; without any, the pull is anonymous. */
  readonly credentials: readonly ImageCredential[];
}

async function pull(
  { image, record, sandbox, backoff, pullErrors, leaving, pulled: ended }: ImageRequest,
  { images, clock, pulls = unlimitedPulls(clock), imageAccess, credentials }: Pulling,
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
  const begun = await imageAccess.begin(image).catch(errorMessage);
  if (typeof begun === "string") {
    const why = `failed to record image pull intent: ${begun}`;
    const message = `Failed to record image pull intent for container image ${quoted(image)}: ${why}`;
    return { reason: why, message };
  }
  pullErrors.delete(image);
  record({ type: "Normal", reason: "Pulling", message: `Pulling image ${quoted(image)}` });
  const start = clock.now();
  try {
    const { result, tookMs } = await pulls.run(
      () =>
        pullWithAny(credentials, (auth) =>
          images.pullImage(image, { sandbox, signal, ...(auth && { auth }) }),
        ),
      signal,
    );
    const { pulled, credential } = result;
    await begun.succeeded(pulled.id, credential);
    const waited = durationText(clock.now() - start);
    const message = `Successfully pulled image ${quoted(image)} in ${durationText(tookMs)} (${waited} including waiting). Image size: ${pulled.sizeBytes} bytes.`;
    record({ type: "Normal", reason: "Pulled", message });
    return pulled;
  } catch (error) {
    await begun.failed();
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
  } finally {
    ended?.(clock.now() - start);
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
async function credentialsFor(
  { image, pod, pullSecrets }: ImageRequest,
  { credentials }: Surroundings,
): Promise<readonly ImageCredential[]> {
  const name = parseImageName(image);
  if (!credentials || !name) return [];
  const repository = `${name.domain}/${name.path}`;
  try {
    const own = pullSecretCredentials(pullSecrets, repository);
    return [...own, ...(await credentials.forImage(repository, pod))];
  } catch (cause) {
    throw new CredentialsError(errorMessage(cause), { cause });
  }
}

interface PulledWith {
  readonly pulled: Image;
  /** Undefined for an anonymous pull. */
  readonly credential?: ImageCredential | undefined;
}

/** Tries credentials until one succeeds; rejects with the messages of all. */
async function pullWithAny(
  credentials: readonly ImageCredential[],
  pullWith: (auth?: RegistryAuth) => Promise<Image>,
): Promise<PulledWith> {
  if (credentials.length === 0) return { pulled: await pullWith() };
  const messages: string[] = [];
  for (const credential of credentials) {
    try {
      return { pulled: await pullWith(credential.auth), credential };
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
