import { type Clock, sleep } from "../../base/clock.ts";
import type { Image, ImageFsInfo, ImageService, PullOptions } from "../image-service.ts";
import { RuntimeError } from "../runtime-service.ts";
import { annotated } from "./behaviour.ts";
import { chanceOf, digestOf } from "./chance.ts";
import { parseDurationRange, pickFrom } from "./duration-range.ts";
import { simulatedMountpoint } from "./simulated-stats.ts";

/** Simulated images: every name exists, and pulling takes as long as the pod's annotation says. */
export class SimulatedImages implements ImageService {
  readonly #clock: Clock;
  readonly #images = new Map<string, Image>();
  /** How often the pull of an image for a pod has failed. */
  readonly #failures = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async imageStatus(image: string): Promise<Image | undefined> {
    return this.#images.get(canonicalImage(image)) ?? this.#known(image);
  }

  async pullImage(image: string, { sandbox, signal }: PullOptions = {}): Promise<Image> {
    const pod = sandbox ?? { metadata: { uid: "" }, annotations: {} };
    const delay = parseDurationRange(annotated(pod, "pull-delay") ?? "0");
    const key = `${pod.metadata.uid}/${image}`;
    const tries = this.#failures.get(key) ?? 0;
    const ms = delay ? pickFrom(delay, chanceOf(`${key}/${tries}`)) : 0;
    if (ms > 0) await sleep(this.#clock, ms, signal);
    const failures = Number(annotated(pod, "pull-failures") ?? Number.NaN);
    const text = annotated(pod, "pull-error");
    const mayFail = text !== undefined || failures > 0;
    if (mayFail && !(tries >= failures)) {
      this.#failures.set(key, tries + 1);
      throw new RuntimeError("NotFound", text || notFoundText(image));
    }
    this.#failures.delete(key);
    const pulled = imageOf(image);
    this.#images.set(canonicalImage(image), pulled);
    return pulled;
  }

  async listImages(image?: string): Promise<readonly Image[]> {
    const only = image === undefined ? undefined : await this.imageStatus(image);
    if (image !== undefined) return only ? [only] : [];
    return [...this.#images.values()].sort((a, b) => b.sizeBytes - a.sizeBytes);
  }

  async removeImage(image: string): Promise<void> {
    const { repoTags: [name = image] = [] } = this.#known(image) ?? {};
    this.#images.delete(canonicalImage(name));
  }

  async imageFsInfo(): Promise<ImageFsInfo> {
    const images = [...this.#images.values()];
    const usedBytes = images.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    const at = this.#clock.now();
    const place = { at, mountpoint: simulatedMountpoint };
    return {
      images: [{ ...place, usedBytes, inodesUsed: images.length }],
      containers: [{ ...place, usedBytes: 0, inodesUsed: 0 }],
    };
  }

  /** An image by its ID or one of its digests. */
  #known(image: string): Image | undefined {
    const isIt = ({ id, repoDigests }: Image): boolean =>
      id === image || repoDigests.includes(canonicalImage(image));
    return /@|^sha256:/.test(image) ? [...this.#images.values()].find(isIt) : undefined;
  }

  /** Adds an image without pulling it, as if it had been pulled before. */
  restore(image: string): void {
    this.#images.set(canonicalImage(image), imageOf(image));
  }
}

/** The full name of an image: `docker.io/library/nginx:latest` for `nginx`. */
export function canonicalImage(image: string): string {
  const [first = "", ...rest] = image.split("/");
  const hasHost = rest.length > 0 && (/[.:]/.test(first) || first === "localhost");
  const path = hasHost ? image : `docker.io/${rest.length > 0 ? image : `library/${image}`}`;
  return /[:@][^/]*$/.test(path) ? path : `${path}:latest`;
}

/** The reference of a pulled image. */
export function imageRefOf(image: string): string {
  const name = canonicalImage(image);
  return name.includes("@") ? name : `${name.replace(/:[^/:]*$/, "")}@sha256:${digestOf(name)}`;
}

function imageOf(image: string): Image {
  const name = canonicalImage(image);
  return {
    id: `sha256:${digestOf(`${name}/id`)}`,
    repoTags: name.includes("@") ? [] : [name],
    repoDigests: [imageRefOf(image)],
    sizeBytes: 1_000_000 + Math.floor(chanceOf(`${name}/size`) * 99_000_000),
  };
}

const notFoundText = (image: string): string => {
  const name = canonicalImage(image);
  const pull = `failed to pull and unpack image "${name}"`;
  return `rpc error: code = NotFound desc = ${pull}: failed to resolve reference "${name}": ${name}: not found`;
};
