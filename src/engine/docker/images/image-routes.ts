import { familiarName, parseReference, withDefaultTag } from "../../images/reference.ts";
import type { DockerContext } from "../docker-context.ts";
import { badRequest, DockerError } from "../http/docker-error.ts";
import {
  type DockerRequest,
  type DockerResponse,
  type DockerRoute,
  route,
} from "../http/docker-route.ts";
import { queryFlag } from "../http/query-values.ts";
import { findImage } from "./find-image.ts";
import { emitImage } from "./image-events.ts";
import { familiar } from "./image-names.ts";
import { imageHistory, inspectImage } from "./inspect-image.ts";
import { listImages } from "./list-images.ts";
import { pruneImages } from "./prune-images.ts";
import { pullImage } from "./pull-route.ts";
import { removeImage } from "./remove-image.ts";

/** The routes of images that are here. */
export function imageRoutes(context: DockerContext): readonly DockerRoute[] {
  return [
    route("GET /images/json", async ({ query }) => ({
      status: 200,
      json: await listImages(context, query),
    })),
    route("POST /images/load", (request) => load(context, request)),
    route("POST /images/create", (request) => pullImage(context, request)),
    route("POST /images/prune", async ({ query }) => ({
      status: 200,
      json: await pruneImages(context, query.get("filters")),
    })),
    route("GET /images/{name...}/json", async ({ params }) => ({
      status: 200,
      json: await inspectImage(context, findImage(context, params.name ?? "")),
    })),
    route("GET /images/{name...}/history", async ({ params }) => ({
      status: 200,
      json: await imageHistory(context, findImage(context, params.name ?? "")),
    })),
    route("POST /images/{name...}/tag", async ({ params, query }) => {
      const image = findImage(context, params.name ?? "");
      const name = imageTag(query.get("repo") ?? "", query.get("tag") ?? "");
      await context.images.store.tag(image.id, name);
      emitImage(context, "tag", image.id, familiarName(name));
      return { status: 201 };
    }),
    route("DELETE /images/{name...}", async ({ params, query }) => {
      const results = await removeImage(context, params.name ?? "", queryFlag(query, "force"));
      return { status: 200, json: results };
    }),
  ];
}

/** The name of a tag that a client gives in two parts. */
function imageTag(repo: string, tag: string): ReturnType<typeof parseReference> {
  try {
    const reference = parseReference(tag === "" ? repo : `${repo}:${tag}`);
    if (reference.digest !== undefined)
      throw new Error("refusing to create a tag with a digest reference");
    return withDefaultTag(reference);
  } catch (error) {
    throw badRequest((error as Error).message);
  }
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
        for (const stream of lines) await write(`${JSON.stringify({ stream })}\r\n`);
        emitImage(context, "load", image.id, image.tags[0] ? familiar(image.tags[0]) : image.id);
      }
      if (isQuiet) return;
    },
  };
}
