import { createServer, type IncomingMessage, STATUS_CODES } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Clock } from "../../base/clock.ts";
import { RuntimeError, type RuntimeService } from "../../cri/runtime-service.ts";
import { portForward } from "../../cri/streaming/port-forward.ts";
import { remoteCommand, type StreamingContext } from "../../cri/streaming/remote-command.ts";
import type { CommandOptions } from "../../cri/streaming/serve-command.ts";
import {
  rejection,
  type StreamingRequest,
  type StreamingResponse,
} from "../../cri/streaming/streaming-request.ts";
import { byteStream } from "../../platform/byte-stream.ts";
import { serveSpdy } from "../../platform/spdy/serve-spdy.ts";
import { RequestCache } from "./request-cache.ts";

export interface StreamingServerOptions {
  readonly runtime: Pick<RuntimeService, "exec" | "attach" | "portForward">;
  readonly clock: Clock;
  /** A new token that cannot be guessed. */
  readonly token: () => string;
}

/** A request to attach to a container, as CRI has it. */
export interface AttachRequest extends CommandOptions {
  readonly containerId: string;
}

/** A request to run a command in a container, as CRI has it. */
export interface ExecRequest extends AttachRequest {
  readonly command: readonly string[];
}

/** A request to reach the ports of a sandbox, as CRI has it. */
export interface PortForwardRequest {
  readonly sandboxId: string;
  /** For clients that name no ports themselves. */
  readonly ports: readonly number[];
}

/** Serves exec, attach and port-forward at addresses that are valid once, for a minute. */
export interface StreamingServer {
  exec(request: ExecRequest): string;
  attach(request: AttachRequest): string;
  portForward(request: PortForwardRequest): string;
  close(): Promise<void>;
}

/** Starts a streaming server on loopback, at a port that is free. */
export async function startStreamingServer(
  options: StreamingServerOptions,
): Promise<StreamingServer> {
  const { clock, runtime } = options;
  const requests = new RequestCache<Waiting>(options);
  const context: StreamingContext = { clock, serveStreams: serveSpdy };
  const sockets = new Set<Duplex>();
  const answer = (request: IncomingMessage): StreamingResponse => {
    const [, verb, token, rest] = /^\/([a-z]+)\/([^/?]+)(.*)$/.exec(request.url ?? "") ?? [];
    const waiting = token === undefined ? undefined : requests.consume(token);
    if (!waiting || waiting.verb !== verb || !/^(\?|$)/.test(rest ?? ""))
      return rejection(404, "404 page not found");
    return respond({ waiting, request: streamingRequest(request), runtime, context });
  };
  const server = createServer((request, response) => {
    const { status, headers, body } = answer(request);
    response.writeHead(status, { ...headers }).end(body);
  });
  server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.setTimeout(idleMs, () => socket.destroy());
    socket.setNoDelay(true);
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    if (head.length > 0) socket.unshift(head);
    void serveUpgraded(socket, answer(request));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const keep = (waiting: Waiting): string => `${base}/${waiting.verb}/${requests.insert(waiting)}`;
  return {
    exec(request) {
      checkCommand(request, "one of stdin, stdout, or stderr must be set");
      return keep({ verb: "exec", request });
    },
    attach(request) {
      checkCommand(request, "one of stdin, stdout, and stderr must be set");
      return keep({ verb: "attach", request });
    },
    portForward(request) {
      if (request.sandboxId === "") throw invalid("missing required pod_sandbox_id");
      return keep({ verb: "portforward", request });
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** Connections without any traffic are closed after four hours, as other runtimes do. */
const idleMs = 4 * 3_600_000;

type Waiting =
  | { readonly verb: "exec"; readonly request: ExecRequest }
  | { readonly verb: "attach"; readonly request: AttachRequest }
  | { readonly verb: "portforward"; readonly request: PortForwardRequest };

function checkCommand({ containerId, ...options }: AttachRequest, noStreams: string): void {
  const { stdin, stdout, stderr, tty } = options;
  if (containerId === "") throw invalid("missing required container_id");
  if (tty && stderr) throw invalid("tty and stderr cannot both be true");
  if (!stdin && !stdout && !stderr) throw invalid(noStreams);
}

const invalid = (message: string): RuntimeError => new RuntimeError("InvalidArgument", message);

interface Responding {
  readonly waiting: Waiting;
  readonly request: StreamingRequest;
  readonly runtime: StreamingServerOptions["runtime"];
  readonly context: StreamingContext;
}

function respond({ waiting, request, runtime, context }: Responding): StreamingResponse {
  if (waiting.verb === "portforward") {
    const { sandboxId, ports } = waiting.request;
    const target = {
      name: sandboxId,
      uid: "",
      ports,
      forward: (port, session) => runtime.portForward(sandboxId, port, session),
    } satisfies Parameters<typeof portForward>[1];
    return portForward(request, target, context);
  }
  const { verb, request: options } = waiting;
  const { containerId, tty } = options;
  const command = {
    verb,
    options,
    run: (session) =>
      verb === "exec"
        ? runtime.exec({ containerId, tty, command: waiting.request.command }, session)
        : runtime.attach({ containerId, tty }, session),
  } satisfies Parameters<typeof remoteCommand>[1];
  return remoteCommand(request, command, context);
}

function streamingRequest({ method = "GET", headers }: IncomingMessage): StreamingRequest {
  const entries = Object.entries(headers).map(([name, value]) => [name, String(value ?? "")]);
  return { method, headers: Object.fromEntries(entries) };
}

async function serveUpgraded(socket: Socket, response: StreamingResponse): Promise<void> {
  const { status, headers, body = "", takeOver } = response;
  const all = takeOver
    ? headers
    : { ...headers, connection: "close", "content-length": String(Buffer.byteLength(body)) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n`;
  const stream = byteStream(socket);
  try {
    await stream.write(Buffer.from(takeOver ? head : head + body));
    await takeOver?.(stream);
    await stream.end();
  } catch {
    // The client has disconnected.
  } finally {
    socket.destroy();
  }
}
