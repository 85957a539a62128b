import { familiarName } from "../../images/reference.ts";
import type { DockerContext } from "../docker-context.ts";
import { type DockerRoute, route } from "../http/docker-route.ts";
import { queryFlag } from "../http/query-values.ts";
import { findImage } from "./find-image.ts";
import { emitImage } from "./image-events.ts";
import { imageTag } from "./image-tag.ts";
import { imageHistory, inspectImage } from "./inspect-image.ts";
import { listImages } from "./list-images.ts";
import { pruneImages } from "./prune-images.ts";
import { removeImage } from "./remove-image.ts";

/** The routes of images that are here. */
export function imageRoutes(context: DockerContext): readonly DockerRoute[] {
  return [
    route("GET /images/json", async ({ query }) => ({
      status: 200,
      json: await listImages(context, query),
    })),
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
