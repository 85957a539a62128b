import { posix } from "node:path";
import {
  packFromRoot,
  packRoot,
  type RootPathStat,
  statInRoot,
  unpackIntoRoot,
} from "../../snapshots/root-archive.ts";
import type { DockerContainer } from "../create/docker-details.ts";
import type { DockerContext } from "../docker-context.ts";
import { badRequest, DockerError, notFound } from "../http/docker-error.ts";
import { type DockerRequest, type DockerRoute, route } from "../http/docker-route.ts";
import { pipe } from "../http/pipe.ts";
import { queryFlag } from "../http/query-values.ts";
import { emitContainer } from "../life/container-events.ts";

/** The routes of `docker cp` and `docker export`. */
export function fileRoutes(context: DockerContext): readonly DockerRoute[] {
  return [
    route("HEAD /containers/{id}/archive", async (request) => {
      const { stat } = await locate(context, request);
      return { status: 200, headers: statHeader(stat) };
    }),
    route("GET /containers/{id}/archive", async (request) => {
      const { container, root, path, stat } = await locate(context, request);
      const archive = await packFromRoot(root, path);
      if (!archive) throw missing(container, path);
      emitContainer(context.events, container, "archive-path");
      return {
        status: 200,
        headers: { ...statHeader(stat), "Content-Type": "application/x-tar" },
        stream: (output) => pipe(archive, output),
      };
    }),
    route("PUT /containers/{id}/archive", async (request) => {
      const { container, root, path, isWritable } = await locateFolder(context, request);
      if (!isWritable) throw new DockerError(403, "container rootfs is marked read-only");
      const result = await unpackIntoRoot(root, path, {
        archive: request.body,
        keepsFolders: queryFlag(request.query, "noOverwriteDirNonDir"),
        signal: request.signal,
      });
      if (result === "missing") throw missing(container, path);
      if (result === "not a directory") throw badRequest("extraction point is not a directory");
      emitContainer(context.events, container, "extract-to-dir");
      return { status: 200 };
    }),
    route("GET /containers/{id}/export", async ({ params }) => {
      const container = context.registry.find(params.id ?? "");
      const root = await context.containers.rootfs(container.id);
      emitContainer(context.events, container, "export");
      return {
        status: 200,
        headers: { "Content-Type": "application/octet-stream" },
        stream: (output) => pipe(packRoot(root), output),
      };
    }),
  ];
}

interface Place {
  readonly container: DockerContainer;
  /** The folder that is the root of the path: the container's, or a volume's. */
  readonly root: string;
  readonly path: string;
  readonly isWritable: boolean;
}

async function locate(
  context: DockerContext,
  request: DockerRequest,
): Promise<Place & { readonly stat: RootPathStat }> {
  const place = await locateFolder(context, request);
  const stat = await statInRoot(place.root, place.path);
  if (!stat) throw missing(place.container, request.query.get("path") ?? "");
  return { ...place, stat };
}

/** Finds what a path is in. What is mounted in a container is copied from and to where it is on the host. */
async function locateFolder(
  context: DockerContext,
  { params, query }: DockerRequest,
): Promise<Place> {
  const container = context.registry.find(params.id ?? "");
  const path = query.get("path") ?? "";
  if (path === "") throw badRequest("bad parameter: path cannot be empty");
  const absolute = posix.join("/", path);
  const mount = container.details.mounts
    .filter(({ type, destination }) => type !== "tmpfs" && isInside(absolute, destination))
    .toSorted((a, b) => b.destination.length - a.destination.length)[0];
  if (mount) {
    const rest = absolute.slice(mount.destination.length);
    const trailing = /\/\.?$/.test(path) && rest === "" ? "/." : rest || "/";
    return { container, root: mount.source, path: trailing, isWritable: mount.writable };
  }
  const isWritable = !container.details.hostConfig.ReadonlyRootfs;
  const end = /\/\.$/.test(path) ? "/." : "";
  return {
    container,
    root: await context.containers.rootfs(container.id),
    path: `${absolute}${end}`,
    isWritable,
  };
}

const isInside = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(`${folder}/`);

const missing = ({ details }: DockerContainer, path: string): DockerError =>
  notFound(`Could not find the file ${path} in container ${details.name}`);

function statHeader(stat: RootPathStat): Record<string, string> {
  const { name, size, mode, mtimeNs, linkTarget } = stat;
  const mtime = new Date(Number(mtimeNs / 1_000_000n)).toISOString();
  const text = JSON.stringify({ name, size, mode, mtime, linkTarget });
  return { "X-Docker-Container-Path-Stat": Buffer.from(text).toString("base64") };
}
