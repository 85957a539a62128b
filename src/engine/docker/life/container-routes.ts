import { signalName, signalNumber } from "../../containers/signal-number.ts";
import { containerName } from "../create/container-names.ts";
import { createContainer } from "../create/create-container.ts";
import type { DockerContext } from "../docker-context.ts";
import { badRequest, conflict, notModified } from "../http/docker-error.ts";
import { type DockerRequest, type DockerRoute, route } from "../http/docker-route.ts";
import { queryFlag, queryInteger } from "../http/query-values.ts";
import { emitContainer } from "./container-events.ts";
import { pruneContainers } from "./prune-containers.ts";
import { removeForClient } from "./remove-container.ts";
import { startContainer } from "./start-container.ts";
import { stopContainer } from "./stop-container.ts";
import { updateContainer } from "./update-container.ts";
import { waitForContainer } from "./wait-for-container.ts";

/** The routes of a container's life. */
export function containerRoutes(context: DockerContext): readonly DockerRoute[] {
  const { registry } = context;
  const idOf = ({ params }: DockerRequest): string => registry.find(params.id ?? "").id;
  return [
    route("POST /containers/create", async ({ query, json, apiMinor }) => {
      const name = query.get("name") ?? "";
      const body = await json();
      return { status: 201, json: await createContainer(context, { name, body, apiMinor }) };
    }),
    route("POST /containers/prune", async ({ query }) => ({
      status: 200,
      json: await pruneContainers(context, query.get("filters")),
    })),
    route("POST /containers/{id}/start", async (request) => {
      const body = await request.json().catch(() => undefined);
      if (body !== undefined && Object.keys(body).length > 0)
        throw badRequest(
          "starting container with non-empty request body was deprecated since API v1.22 and removed in v1.24",
        );
      if (request.query.get("checkpoint"))
        throw badRequest("checkpoint is only supported in experimental mode");
      await startContainer(context, idOf(request));
      return { status: 204 };
    }),
    route("POST /containers/{id}/stop", async (request) => {
      const id = idOf(request);
      const { phase } = registry.find(id).state;
      if (phase !== "running" && !registry.find(id).details.isRestarting) throw notModified();
      await stopContainer(context, id, stopOptions(request.query));
      return { status: 204 };
    }),
    route("POST /containers/{id}/restart", async (request) => {
      const id = idOf(request);
      const options = stopOptions(request.query);
      if (registry.find(id).state.phase === "running") await stopContainer(context, id, options);
      await startContainer(context, id);
      emitContainer(context.events, registry.find(id), "restart");
      return { status: 204 };
    }),
    route("POST /containers/{id}/kill", async (request) => {
      await killContainer(context, idOf(request), request.query.get("signal") ?? "");
      return { status: 204 };
    }),
    route("POST /containers/{id}/pause", async (request) => {
      const { id, state } = registry.find(idOf(request));
      if (state.phase !== "running") throw conflict(`container ${id} is not running`);
      if (state.isPaused) throw conflict(`container ${id} is already paused`);
      await context.containers.pause(id);
      return { status: 204 };
    }),
    route("POST /containers/{id}/unpause", async (request) => {
      const { id, state } = registry.find(idOf(request));
      if (state.phase !== "running" || !state.isPaused)
        throw conflict(`Container ${id} is not paused`);
      await context.containers.unpause(id);
      return { status: 204 };
    }),
    route("POST /containers/{id}/wait", (request) => waitForContainer(context, request)),
    route("POST /containers/{id}/rename", async (request) => {
      await renameContainer(context, idOf(request), request.query.get("name") ?? "");
      return { status: 204 };
    }),
    route("POST /containers/{id}/update", async (request) => {
      const id = idOf(request);
      return { status: 200, json: await updateContainer(context, id, await request.json()) };
    }),
    route("POST /containers/{id}/resize", async (request) => {
      const { id, state } = registry.find(idOf(request));
      if (state.phase !== "running") throw conflict(`container ${id} is not running`);
      await context.containers.resize(id, terminalSize(request.query));
      return { status: 200 };
    }),
    route("DELETE /containers/{id}", async ({ params, query }) => {
      if (queryFlag(query, "link")) throw badRequest("links are not supported by this engine");
      const options = { force: queryFlag(query, "force"), withVolumes: queryFlag(query, "v") };
      await removeForClient(context, params.id ?? "", options);
      return { status: 204 };
    }),
  ];
}

/** The size of a terminal in a query. */
export function terminalSize(query: URLSearchParams): {
  readonly width: number;
  readonly height: number;
} {
  return { width: queryInteger(query, "w") ?? 0, height: queryInteger(query, "h") ?? 0 };
}

function stopOptions(query: URLSearchParams): { signal?: string; seconds?: number } {
  const signal = query.get("signal") ?? "";
  const seconds = queryInteger(query, "t");
  return { ...(signal !== "" && { signal }), ...(seconds !== undefined && { seconds }) };
}

async function killContainer(context: DockerContext, id: string, given: string): Promise<void> {
  const container = context.registry.find(id);
  const signal = signalName(given || "SIGKILL");
  if (signal === undefined) throw badRequest(`invalid signal: ${given}`);
  if (container.state.phase !== "running")
    throw conflict(
      `cannot kill container: ${container.details.name}: container ${id} is not running`,
    );
  const { StopSignal } = container.details.config;
  const isStop = signal === "SIGKILL" || signal === (signalName(StopSignal || "SIGTERM") ?? "");
  // A container that a client ends is not restarted.
  if (isStop) await context.registry.change(id, () => ({ isStoppedByClient: true }));
  const isPausedKill = container.state.isPaused && signal === "SIGKILL";
  const ended = signal === "SIGKILL" ? context.containers.wait(id) : undefined;
  await context.containers.kill(id, signal);
  if (isPausedKill) await context.containers.unpause(id).catch(() => undefined);
  emitContainer(context.events, container, "kill", { signal: String(signalNumber(signal)) });
  await ended?.catch(() => undefined);
}

async function renameContainer(context: DockerContext, id: string, given: string): Promise<void> {
  if (given === "") throw badRequest("Neither old nor new names may be empty");
  const { registry } = context;
  const { details } = registry.find(id);
  const name = containerName(given);
  if (name === details.name)
    throw badRequest("Renaming a container with the same name as its current name");
  registry.reserve(name, id);
  try {
    await registry.change(id, () => ({ name }));
  } catch (error) {
    registry.release(name);
    throw error;
  }
  registry.release(details.name);
  emitContainer(context.events, registry.find(id), "rename", { oldName: `/${details.name}` });
}
