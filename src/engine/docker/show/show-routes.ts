import { runChild } from "../../../platform/run-child.ts";
import type { DockerContext } from "../docker-context.ts";
import { badRequest, conflict, DockerError } from "../http/docker-error.ts";
import { type DockerRoute, route } from "../http/docker-route.ts";
import { queryFlag } from "../http/query-values.ts";
import { inspectContainer } from "./inspect-container.ts";
import { listContainers } from "./list-containers.ts";
import { parseProcessTable } from "./process-table.ts";
import { statsRoute } from "./stats-route.ts";

/** The routes that show containers. */
export function showRoutes(context: DockerContext): readonly DockerRoute[] {
  const { registry } = context;
  return [
    route("GET /containers/json", async (request) => ({
      status: 200,
      json: await listContainers(context, request),
    })),
    route("GET /containers/{id}/json", async ({ params, query }) => {
      const container = registry.find(params.id ?? "");
      return {
        status: 200,
        json: await inspectContainer(context, container, queryFlag(query, "size")),
      };
    }),
    statsRoute(context),
    route("GET /containers/{id}/top", async ({ params, query }) => ({
      status: 200,
      json: await processes(context, params.id ?? "", query.get("ps_args") || "-ef"),
    })),
    route("GET /containers/{id}/changes", async ({ params }) => {
      const { id } = registry.find(params.id ?? "");
      const changes = await context.snapshots.changes(id);
      const kinds = { changed: 0, added: 1, deleted: 2 } as const;
      return {
        status: 200,
        json: changes.map(({ path, kind }) => ({ Path: path, Kind: kinds[kind] })),
      };
    }),
  ];
}

/** The processes of a container as the host's `ps` shows them. */
async function processes(context: DockerContext, name: string, args: string): Promise<object> {
  const { id, state } = context.registry.find(name);
  if (state.phase !== "running") throw conflict(`container ${id} is not running`);
  // A column with another title would not be found.
  const titled = /(\S*)=(\S*PID\S*)/i.exec(args);
  if (titled && titled[2]?.toUpperCase() !== "PID")
    throw badRequest(`specifying "${titled[0]}" is not allowed`);
  const pids = new Set((await context.containers.pids(id)).map(String));
  const { code, stdout, stderr } = await runChild("ps", args.trim().split(/\s+/));
  if (code !== 0) throw new DockerError(500, `Error running ps: ${stderr.trim()}`);
  return parseProcessTable(stdout, pids);
}
