import { familiarName, fullName } from "../../images/reference.ts";
import type { ImageRunConfig } from "../../images/stored-image.ts";
import type { ContainerConfig } from "../create/container-config.ts";
import type { DockerContainer } from "../create/docker-details.ts";
import type { DockerContext } from "../docker-context.ts";
import { DockerError } from "../http/docker-error.ts";
import {
  type DockerRequest,
  type DockerResponse,
  type DockerRoute,
  route,
} from "../http/docker-route.ts";
import { queryFlag } from "../http/query-values.ts";
import { emitContainer } from "../life/container-events.ts";
import { applyChanges } from "./apply-changes.ts";
import { emitImage } from "./image-events.ts";
import { imageTag } from "./image-tag.ts";
import { message } from "./progress-message.ts";
import { pullImage } from "./pull-route.ts";

/** The routes by which images come to be: from a registry, an archive or a container. */
export function buildRoutes(context: DockerContext): readonly DockerRoute[] {
  return [
    route("POST /images/create", (request) =>
      request.query.get("fromSrc") ? importImage(context, request) : pullImage(context, request),
    ),
    route("POST /commit", async ({ query }) => ({
      status: 201,
      json: { Id: await commit(context, query) },
    })),
  ];
}

/** Makes an image of a container: what it wrote is another layer. */
async function commit(context: DockerContext, query: URLSearchParams): Promise<string> {
  const container = context.registry.find(query.get("container") ?? "");
  const { id, details } = container;
  const base = context.images.store.resolve(details.imageId);
  if (!base) throw new DockerError(404, `No such image: ${details.imageId}`);
  const repo = query.get("repo") ?? "";
  const name = repo === "" ? undefined : imageTag(repo, query.get("tag") ?? "");
  const config = applyChanges(runConfig(details.config), query.getAll("changes"));
  const author = query.get("author") ?? "";
  const comment = query.get("comment") ?? "";
  const image = await whilePaused(context, container, queryFlag(query, "pause", true), async () =>
    context.images.build({
      base,
      layer: await context.snapshots.diff(id),
      config,
      ...(author !== "" && { author }),
      history: {
        created_by: [...(details.config.Entrypoint ?? []), ...(details.config.Cmd ?? [])].join(" "),
        ...(comment !== "" && { comment }),
      },
      ...(name && { name: fullName(name) }),
    }),
  );
  const imageRef = name ? familiarName(name) : "";
  emitContainer(context.events, container, "commit", {
    comment,
    imageID: image.id,
    imageRef,
  });
  return image.id;
}

/** A container that writes meanwhile would leave files half-written in the image. */
async function whilePaused<T>(
  { containers }: DockerContext,
  { id, state }: DockerContainer,
  isWanted: boolean,
  work: () => Promise<T>,
): Promise<T> {
  if (!isWanted || state.phase !== "running" || state.isPaused) return work();
  await containers.pause(id);
  try {
    return await work();
  } finally {
    await containers.unpause(id);
  }
}

/** What an image says of a container that is made from it. */
function runConfig(config: ContainerConfig): ImageRunConfig {
  return {
    ...(config.User !== "" && { User: config.User }),
    ...(config.ExposedPorts && { ExposedPorts: config.ExposedPorts }),
    Env: config.Env ?? [],
    Cmd: config.Cmd,
    ...(config.Healthcheck && {
      Healthcheck: { ...config.Healthcheck, Test: config.Healthcheck.Test ?? [] },
    }),
    ...(config.Volumes && { Volumes: config.Volumes }),
    WorkingDir: config.WorkingDir,
    Entrypoint: config.Entrypoint,
    Labels: config.Labels,
    ...(config.StopSignal !== "" && { StopSignal: config.StopSignal }),
    ...(config.Shell && { Shell: config.Shell }),
  };
}

/** Makes an image of one layer from an archive of a file system. */
function importImage(context: DockerContext, request: DockerRequest): DockerResponse {
  const { query, body, signal } = request;
  if (query.get("fromSrc") !== "-")
    throw new DockerError(
      501,
      "importing from a URL is not supported by this engine: download it, and import the file",
    );
  const repo = query.get("repo") ?? "";
  const name = repo === "" ? undefined : imageTag(repo, query.get("tag") ?? "");
  const config = applyChanges({}, query.getAll("changes"));
  return {
    status: 200,
    headers: { "content-type": "application/json" },
    stream: async ({ write }) => {
      const image = await context.images.build({
        layer: body,
        config,
        history: { comment: query.get("message") || "Imported from -" },
        signal,
        ...(name && { name: fullName(name) }),
      });
      emitImage(context, "import", image.id, image.id);
      await write(message({ status: image.id }));
    },
  };
}
