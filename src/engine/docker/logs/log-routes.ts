import { readLog } from "../../../cri/read-log.ts";
import type { LogPiece } from "../../../cri/streams.ts";
import { logFile } from "../../../platform/log-file.ts";
import type { DockerContainer } from "../create/docker-details.ts";
import type { DockerContext } from "../docker-context.ts";
import { badRequest, DockerError } from "../http/docker-error.ts";
import {
  type DockerOutput,
  type DockerRequest,
  type DockerResponse,
  type DockerRoute,
  route,
} from "../http/docker-route.ts";
import { queryFlag, queryTime } from "../http/query-values.ts";
import { frame } from "../http/stream-frames.ts";
import { attachRoute } from "./attach-route.ts";
import { streamType } from "./stream-type.ts";

/** The routes of a container's output. */
export function logRoutes(context: DockerContext): readonly DockerRoute[] {
  return [
    route("GET /containers/{id}/logs", (request) => logs(context, request)),
    attachRoute(context),
    route("GET /containers/{id}/attach/ws", () => {
      throw new DockerError(501, "attaching by WebSocket is not supported by this engine");
    }),
  ];
}

interface LogQuery {
  readonly streams: ReadonlySet<LogPiece["stream"]>;
  readonly follow: boolean;
  readonly timestamps: boolean;
  readonly since: number;
  readonly until: number;
  readonly tail?: number | undefined;
}

function logs(context: DockerContext, request: DockerRequest): DockerResponse {
  const container = context.registry.find(request.params.id ?? "");
  const { Tty } = container.details.config;
  const query = logQuery(request.query);
  if (query.streams.size === 0)
    throw badRequest("Bad parameters: you must choose at least one stream");
  if (container.details.hostConfig.LogConfig.Type === "none")
    throw new DockerError(501, "configured logging driver does not support reading");
  return {
    status: 200,
    headers: { "Content-Type": streamType(Tty, request.apiMinor) },
    stream: (output) => writeLog(context, container, query, output),
  };
}

async function writeLog(
  context: DockerContext,
  container: DockerContainer,
  query: LogQuery,
  { write, signal }: DockerOutput,
): Promise<void> {
  const ended = new AbortController();
  const isRunning = (): boolean => {
    const now = context.registry.get(container.id);
    return now?.state.phase === "running" || now?.details.isRestarting === true;
  };
  const forget = context.containers.onChange((change) => {
    if (change.container.id === container.id && !isRunning()) ended.abort();
  });
  if (!isRunning()) ended.abort();
  try {
    const pieces = readLog(
      logFile(container.logPath),
      {
        ...(query.tail !== undefined && { tailLines: query.tail }),
        since: query.since,
        follow: query.follow,
        signal,
      },
      ended.signal,
    );
    for await (const piece of pieces) {
      if (piece.at > query.until) break;
      if (!query.streams.has(piece.stream)) continue;
      const bytes = query.timestamps ? withTime(piece) : piece.bytes;
      await write(container.details.config.Tty ? bytes : frame(piece.stream, bytes));
    }
  } finally {
    forget();
  }
}

function logQuery(query: URLSearchParams): LogQuery {
  const tail = query.get("tail") ?? "all";
  return {
    streams: new Set((["stdout", "stderr"] as const).filter((name) => queryFlag(query, name))),
    follow: queryFlag(query, "follow"),
    timestamps: queryFlag(query, "timestamps"),
    since: queryTime(query, "since") ?? 0,
    until: queryTime(query, "until") ?? Number.POSITIVE_INFINITY,
    ...(/^[0-9]+$/.test(tail) && { tail: Number(tail) }),
  };
}

function withTime({ at, nanos, bytes }: LogPiece): Uint8Array {
  const milliseconds = new Date(at).toISOString().slice(0, -1);
  const time = `${milliseconds}${String(nanos).padStart(6, "0")}Z `;
  return Buffer.concat([Buffer.from(time), bytes]);
}
