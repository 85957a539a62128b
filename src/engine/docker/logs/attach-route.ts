import { readLog } from "../../../cri/read-log.ts";
import type { StreamSession } from "../../../cri/streams.ts";
import { logFile } from "../../../platform/log-file.ts";
import type { DockerContainer } from "../create/docker-details.ts";
import type { DockerContext } from "../docker-context.ts";
import { conflict } from "../http/docker-error.ts";
import { type DockerRoute, type HijackedConnection, route } from "../http/docker-route.ts";
import { queryFlag } from "../http/query-values.ts";
import { frame } from "../http/stream-frames.ts";
import { emitContainer } from "../life/container-events.ts";
import { parseDetachKeys, untilDetached } from "./detach-keys.ts";
import { streamType } from "./stream-type.ts";

/** The route of `docker attach`, and of `docker run` before it starts its container. */
export function attachRoute(context: DockerContext): DockerRoute {
  return route("POST /containers/{id}/attach", ({ params, query, apiMinor }) => {
    const container = context.registry.find(params.id ?? "");
    const { state, id } = container;
    if (state.phase === "running" && state.isPaused)
      throw conflict(`container ${id} is paused, unpause the container before attach`);
    if (container.details.isRestarting)
      throw conflict(`container ${id} is restarting, wait until the container is running`);
    const { Tty } = container.details.config;
    return {
      status: 200,
      headers: { "Content-Type": streamType(Tty, apiMinor) },
      hijack: (connection) => attach(context, container, query, connection),
    };
  });
}

async function attach(
  context: DockerContext,
  container: DockerContainer,
  query: URLSearchParams,
  connection: HijackedConnection,
): Promise<void> {
  const { id, details, state } = container;
  const { Tty, OpenStdin } = details.config;
  const writer =
    (stream: "stdout" | "stderr") =>
    (bytes: Uint8Array): Promise<void> =>
      connection.write(Tty ? bytes : frame(stream, bytes));
  emitContainer(context.events, container, "attach");
  if (queryFlag(query, "logs")) await earlierOutput(container, query, { writer, connection });
  if (!queryFlag(query, "stream")) return;
  const left = new AbortController();
  const keys = parseDetachKeys(query.get("detachKeys") ?? "");
  const input = Tty ? untilDetached(connection.input, keys, () => left.abort()) : connection.input;
  const session: StreamSession = {
    ...(queryFlag(query, "stdin") && OpenStdin && { stdin: input }),
    ...(queryFlag(query, "stdout") && { stdout: writer("stdout") }),
    ...(queryFlag(query, "stderr") && { stderr: writer("stderr") }),
    signal: AbortSignal.any([connection.signal, left.signal, context.attachments.add(id)]),
  };
  const nextRun = state.phase !== "running";
  await context.containers.attach(id, session, { nextRun });
  if (left.signal.aborted) emitContainer(context.events, container, "detach");
}

async function earlierOutput(
  container: DockerContainer,
  query: URLSearchParams,
  to: {
    readonly writer: (stream: "stdout" | "stderr") => (bytes: Uint8Array) => Promise<void>;
    readonly connection: HijackedConnection;
  },
): Promise<void> {
  const { signal } = to.connection;
  const pieces = readLog(logFile(container.logPath), { follow: false, signal }, signal);
  for await (const { stream, bytes } of pieces)
    if (queryFlag(query, stream)) await to.writer(stream)(bytes);
}
