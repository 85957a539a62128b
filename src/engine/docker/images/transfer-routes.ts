import { ImageNotFound } from "../../images/image-store.ts";
import {
  familiarName,
  fullName,
  parseReference,
  type Reference,
  repositoryOf,
  withDefaultTag,
} from "../../images/reference.ts";
import type { DockerContext } from "../docker-context.ts";
import { badRequest, DockerError, notFound } from "../http/docker-error.ts";
import {
  type DockerOutput,
  type DockerRequest,
  type DockerResponse,
  type DockerRoute,
  route,
} from "../http/docker-route.ts";
import { pipe } from "../http/pipe.ts";
import { queryFlag } from "../http/query-values.ts";
import { emitImage } from "./image-events.ts";
import { familiar } from "./image-names.ts";
import { type LayerProgress, message, progressMessage } from "./progress-message.ts";
import { parseRegistryAuth } from "./registry-auth.ts";

/** The routes by which images leave and enter as archives, or go to a registry. */
export function transferRoutes(context: DockerContext): readonly DockerRoute[] {
  return [
    route("POST /images/load", (request) => load(context, request)),
    route("GET /images/get", ({ query }) => save(context, query.getAll("names"))),
    route("GET /images/{name...}/get", ({ params }) => save(context, [params.name ?? ""])),
    route("POST /images/{name...}/push", (request) => push(context, request)),
  ];
}

function load(context: DockerContext, { body, query, signal }: DockerRequest): DockerResponse {
  const isQuiet = queryFlag(query, "quiet");
  return {
    status: 200,
    headers: { "content-type": "application/json" },
    stream: async ({ write }) => {
      const loaded = await context.images.load(body, { signal }).catch((cause: Error) => {
        throw new DockerError(400, cause.message, { cause });
      });
      for (const { image, names } of loaded) {
        const named = names.map((name) => `Loaded image: ${familiarName(name)}\n`);
        const lines = named.length > 0 ? named : [`Loaded image ID: ${image.id}\n`];
        for (const stream of lines) await write(message({ stream }));
        emitImage(context, "load", image.id, image.tags[0] ? familiar(image.tags[0]) : image.id);
      }
      if (isQuiet) return;
    },
  };
}

function save(context: DockerContext, names: readonly string[]): DockerResponse {
  if (names.length === 0) throw badRequest("invalid parameters: no image names");
  const archive = (() => {
    try {
      return context.images.save(names);
    } catch (error) {
      if (error instanceof ImageNotFound) throw notFound(error.message);
      throw error;
    }
  })();
  for (const name of names) {
    const image = context.images.store.resolve(name);
    if (image) emitImage(context, "save", image.id, name);
  }
  return {
    status: 200,
    headers: { "Content-Type": "application/x-tar" },
    stream: (output) => pipe(archive, output),
  };
}

function push(context: DockerContext, request: DockerRequest): DockerResponse {
  const { params, query, headers } = request;
  const reference = pushedReference(params.name ?? "", query.get("tag") ?? "");
  const auth = parseRegistryAuth(headers["x-registry-auth"]);
  return {
    status: 200,
    headers: { "content-type": "application/json" },
    stream: async (output) => {
      const repository = repositoryOf(reference);
      await output.write(message({ status: `The push refers to repository [${repository}]` }));
      const report = reporter(output);
      const pushed = await context.images.push(fullName(reference), {
        auth,
        signal: request.signal,
        onProgress: report.add,
      });
      await report.written();
      const { digest, size } = pushed;
      await output.write(message({ status: `${reference.tag}: digest: ${digest} size: ${size}` }));
      const aux = { Tag: reference.tag, Digest: digest, Size: size };
      await output.write(message({ progressDetail: {}, aux }));
      emitImage(context, "push", familiarName(reference), familiarName(reference));
    },
  };
}

/** Writes progress in its order. */
function reporter({ write }: DockerOutput): {
  readonly add: (progress: LayerProgress) => void;
  readonly written: () => Promise<void>;
} {
  let writing = Promise.resolve();
  return {
    add: (progress) => {
      writing = writing.then(() => write(progressMessage(progress)));
    },
    written: () => writing,
  };
}

function pushedReference(name: string, tag: string): Reference {
  try {
    return withDefaultTag(parseReference(tag === "" ? name : `${name}:${tag}`));
  } catch (error) {
    throw badRequest((error as Error).message);
  }
}
