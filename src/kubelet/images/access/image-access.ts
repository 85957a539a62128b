import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import type { Metrics } from "../../../base/metrics.ts";
import { KeyedLock } from "../../../base/queue/keyed-lock.ts";
import type { ImageService } from "../../../cri/image-service.ts";
import { formatTime, parseTime, timeFromMillis } from "../../../schema/values/time.ts";
import type { ImageCredential } from "../../pod/container/image-credential.ts";
import { parseImageReference } from "../image-reference.ts";
import { mayAnyPodUse, mayUseImage } from "./may-use-image.ts";
import { mergeCredentials, pullCredentials } from "./merge-credentials.ts";
import { verifiedRemark } from "./open-images.ts";
import type { ImagePullCredentials, ImagePulledRecord, PullRecords } from "./pull-records.ts";
import { needsVerification, type VerificationPolicy } from "./verification-policy.ts";

/** Decides whether pods may use images that are on their node already. */
export interface ImageAccess {
  /** What is said of an image that is on the node and may be used. */
  readonly remark: string;
  /** Whether a pod must pull an image that is on the node, to show that it may use it. */
  mustPull(present: PresentImage): Promise<boolean>;
  /** Remembers that an image is about to be pulled; rejects if that cannot be written. */
  begin(image: string): Promise<ImagePull>;
  /** Forgets images that are not on the node, and were not pulled since a time. */
  prune(imageRefs: ReadonlySet<string>, since: number): Promise<void>;
}

export interface PresentImage {
  /** As a container names it. */
  readonly image: string;
  /** Its ID in the runtime. */
  readonly imageRef: string;
  /** Finds the credentials that the pod has for it. */
  readonly credentials: () => Promise<readonly ImageCredential[]>;
}

/** A pull that has begun, and ends in one of two ways. */
export interface ImagePull {
  /** Ends with the credentials that were used; undefined for an anonymous pull. */
  succeeded(imageRef: string, credential: ImageCredential | undefined): Promise<void>;
  failed(): Promise<void>;
}

export interface ImageAccessOptions {
  readonly policy: VerificationPolicy;
  readonly records: PullRecords;
  readonly images: Pick<ImageService, "listImages">;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Opens the access to the images of a node; first, the pulls of an agent that was killed become records. */
export async function openImageAccess(options: ImageAccessOptions): Promise<ImageAccess> {
  const access = new RecordedAccess(options);
  await access.recover();
  return access;
}

/** Why a pod may use an image, or must pull it, in upstream's words. */
type CheckResult =
  | "credentialPolicyAllowed"
  | "credentialRecordFound"
  | "mustAuthenticate"
  | "error";

class RecordedAccess implements ImageAccess {
  readonly remark = verifiedRemark;
  readonly #options: ImageAccessOptions;
  readonly #checks;
  /** Pulls that are under way, by image: the intent stays until the last has ended. */
  readonly #pulling = new Map<string, number>();
  /** The keys are images for intents, and IDs for records. */
  readonly #locks = new KeyedLock();

  constructor(options: ImageAccessOptions) {
    this.#options = options;
    this.#checks = options.metrics.counter({
      name: "kubelet_imagemanager_image_mustpull_checks_total",
      help: "Counter for how many times kubelet checked whether credentials need to be re-verified to access an image",
      stability: "ALPHA",
      labels: ["result"],
    });
  }

  async mustPull(present: PresentImage): Promise<boolean> {
    let result: CheckResult = "error";
    try {
      result = await this.#check(present);
    } finally {
      this.#checks.of(result).add(1);
    }
    return result === "mustAuthenticate" || result === "error";
  }

  /** Rejects if the credentials of the pod cannot be found. */
  async #check({ image, imageRef, credentials }: PresentImage): Promise<CheckResult> {
    const { policy, log } = this.#options;
    let record: ImagePulledRecord | undefined;
    let isPreloaded: boolean;
    try {
      record = await this.#options.records.pulledRecord(imageRef);
      isPreloaded = !record && !(await this.#hasIntent(image));
    } catch (error) {
      log.error("reading the records of image pulls failed", error, { image });
      return "error";
    }
    if (!needsVerification(policy, { image, isPreloaded })) return "credentialPolicyAllowed";
    const recorded = record?.credentialMapping?.[repositoryOf(image)];
    const forAll = mayAnyPodUse(recorded);
    if (forAll !== undefined) return forAll ? "credentialRecordFound" : "mustAuthenticate";
    const { mayUse, learned } = mayUseImage(recorded ?? {}, await credentials());
    if (learned)
      await this.#record(image, imageRef, { kubernetesSecrets: [learned] }).catch((error) =>
        log.error("recording a secret of an image failed", error, { image }),
      );
    return mayUse ? "credentialRecordFound" : "mustAuthenticate";
  }

  #hasIntent(image: string): Promise<boolean> {
    return this.#pulling.has(image)
      ? Promise.resolve(true)
      : this.#options.records.hasIntent(image);
  }

  async begin(image: string): Promise<ImagePull> {
    const { records, log } = this.#options;
    await this.#locks.run(image, async () => {
      await records.writeIntent(image);
      this.#pulling.set(image, (this.#pulling.get(image) ?? 0) + 1);
    });
    const end = (): Promise<void> => this.#locks.run(image, () => this.#end(image));
    return {
      failed: end,
      succeeded: async (imageRef, credential) => {
        try {
          await this.#record(image, imageRef, pullCredentials(credential));
        } catch (error) {
          // The intent stays: the image does not pass for a preloaded one.
          log.error("recording the pull of an image failed", error, { image });
          return;
        }
        await end();
      },
    };
  }

  async #end(image: string): Promise<void> {
    const { records, log } = this.#options;
    const left = (this.#pulling.get(image) ?? 1) - 1;
    if (left > 0) this.#pulling.set(image, left);
    else
      try {
        await records.removeIntent(image);
        this.#pulling.delete(image);
      } catch (error) {
        log.error("removing the intent to pull an image failed", error, { image });
      }
  }

  /** Without credentials, nobody may use the image before its next pull. */
  #record(image: string, imageRef: string, added?: ImagePullCredentials): Promise<void> {
    const { records, clock, log } = this.#options;
    return this.#locks.run(imageRef, async () => {
      const old = await records.pulledRecord(imageRef).catch((error: unknown) => {
        log.warn("replacing the record of an image that cannot be read", { imageRef, error });
        return undefined;
      });
      const repository = repositoryOf(image);
      const known = old?.credentialMapping?.[repository];
      const merged = added && mergeCredentials(known, added);
      if (old && merged === known) return;
      await records.writePulled({
        lastUpdatedTime: formatTime(timeFromMillis(clock.now())),
        imageRef,
        credentialMapping: { ...old?.credentialMapping, ...(merged && { [repository]: merged }) },
      });
    });
  }

  async prune(imageRefs: ReadonlySet<string>, since: number): Promise<void> {
    const { records } = this.#options;
    // Records have whole seconds.
    const { seconds } = timeFromMillis(since);
    for (const { imageRef, lastUpdatedTime } of await records.pulled()) {
      const isOld = !lastUpdatedTime || parseTime(lastUpdatedTime).seconds < seconds;
      if (isOld && !imageRefs.has(imageRef))
        await this.#locks.run(imageRef, () => records.removePulled(imageRef));
    }
  }

  async recover(): Promise<void> {
    const { records, images, log } = this.#options;
    const intents = new Set(await records.intents());
    if (intents.size === 0) return;
    try {
      for (const { id, repoTags, repoDigests } of await images.listImages())
        for (const image of [...repoDigests, ...repoTags]) {
          if (!intents.has(image)) continue;
          await this.#record(image, id);
          await records.removeIntent(image);
        }
    } catch (error) {
      log.error("completing the records of image pulls failed", error);
    }
  }
}

/** The name of an image without tag and digest. */
function repositoryOf(image: string): string {
  const reference = parseImageReference(image);
  return typeof reference === "string" ? image : reference.repository;
}
