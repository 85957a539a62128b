import type { PullProgress } from "../../images/pull-progress.ts";
import {
  familiarName,
  familiarRepository,
  parseReference,
  type Reference,
  withDefaultTag,
} from "../../images/reference.ts";
import { RegistryError } from "../../images/registry/registry-error.ts";
import type { DockerContext } from "../docker-context.ts";
import { badRequest, DockerError } from "../http/docker-error.ts";
import type { DockerRequest, DockerResponse } from "../http/docker-route.ts";
import { emitImage } from "./image-events.ts";
import { message, progressMessage } from "./progress-message.ts";
import { parseRegistryAuth } from "./registry-auth.ts";

/**
 * Pulls an image, with its progress as a stream. An error before the first progress is a plain response: the image
 * is not there, or the client may not have it.
 */
export async function pullImage(
  context: DockerContext,
  { query, headers, signal }: DockerRequest,
): Promise<DockerResponse> {
  const reference = pulledReference(query.get("fromImage") ?? "", query.get("tag") ?? "");
  const auth = parseRegistryAuth(headers["x-registry-auth"]);
  const platform = parsePlatform(query.get("platform") ?? "");
  const lines = new ProgressLines();
  const pulled = context.images
    .pull(fullText(reference), {
      auth,
      ...(platform && { platform }),
      signal,
      onProgress: (progress) => lines.add(progress),
    })
    .finally(() => lines.end());
  pulled.catch(() => undefined);
  await Promise.race([lines.first, pulled.catch((error) => reject(error, reference))]);
  return {
    status: 200,
    headers: { "content-type": "application/json" },
    stream: async ({ write }) => {
      const path = reference.domain === "docker.io" ? reference.path : fullRepository(reference);
      const id = reference.tag ?? reference.digest ?? "";
      await write(message({ status: `Pulling from ${path}`, id }));
      for await (const progress of lines) await write(progressMessage(progress));
      const { image, digest, isNew } = await pulled.catch((error) => reject(error, reference));
      const name = familiarName(reference);
      await write(message({ status: `Digest: ${digest}` }));
      await write(
        message({
          status: isNew
            ? `Status: Downloaded newer image for ${name}`
            : `Status: Image is up to date for ${name}`,
        }),
      );
      emitImage(context, "pull", name, name);
      void image;
    },
  };
}

/** Parses the name of an image to pull, whose tag may come apart. */
function pulledReference(image: string, tag: string): Reference {
  try {
    const joined =
      tag === "" ? image : /^sha256:/.test(tag) ? `${image}@${tag}` : `${image}:${tag}`;
    return withDefaultTag(parseReference(joined));
  } catch (error) {
    throw badRequest((error as Error).message);
  }
}

function parsePlatform(
  text: string,
): { readonly os: string; readonly architecture: string; readonly variant?: string } | undefined {
  if (text === "") return undefined;
  const [os = "", architecture = "", variant] = text.split("/");
  if (architecture === "")
    throw badRequest(`"${text}": unknown operating system or architecture: invalid argument`);
  return { os, architecture, ...(variant !== undefined && { variant }) };
}

const fullRepository = ({ domain, path }: Reference): string => `${domain}/${path}`;

const fullText = (reference: Reference): string =>
  `${fullRepository(reference)}${reference.tag === undefined ? "" : `:${reference.tag}`}${reference.digest === undefined ? "" : `@${reference.digest}`}`;

/** Rejects a pull or push with docker's words for the error of a registry. */
function reject(error: unknown, reference: Reference): never {
  if (!(error instanceof RegistryError)) throw error;
  const { fault, serverMessage } = error;
  const repository = familiarRepository(reference);
  if (fault === "NotFound")
    throw new DockerError(
      404,
      `manifest for ${familiarName(reference)} not found: ${serverMessage || "manifest unknown: manifest unknown"}`,
      { cause: error },
    );
  if (fault === "Denied")
    throw new DockerError(
      404,
      `pull access denied for ${repository}, repository does not exist or may require 'docker login': ${serverMessage || "denied: requested access to the resource is denied"}`,
      { cause: error },
    );
  throw new DockerError(500, error.message, { cause: error });
}

/** Progress that waits to be written. A layer that is counted needs only its latest number. */
class ProgressLines implements AsyncIterable<PullProgress> {
  #waiting: PullProgress[] = [];
  #wake: (() => void) | undefined;
  #isEnded = false;
  #started: () => void = () => undefined;
  /** Resolves with the first progress, or at the end. */
  readonly first = new Promise<void>((resolve) => {
    this.#started = resolve;
  });

  add(progress: PullProgress): void {
    const last = this.#waiting.findLastIndex(
      ({ id, status }) => id === progress.id && status === progress.status,
    );
    if (last >= 0) this.#waiting[last] = progress;
    else this.#waiting.push(progress);
    this.#started();
    this.#wake?.();
  }

  end(): void {
    this.#isEnded = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<PullProgress> {
    for (;;) {
      const waiting = this.#waiting;
      this.#waiting = [];
      yield* waiting;
      if (this.#waiting.length > 0) continue;
      if (this.#isEnded) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
