import { StatusError } from "../../api/meta/v1/status-error.ts";
import { type Clock, DeadlineExceeded, type Timer } from "../../base/clock.ts";
import { type HeaderLines, headerOf } from "../../base/http/http1-message.ts";
import { onAbort } from "../../base/on-abort.ts";
import type { HttpResponse } from "../connect/http-client.ts";
import { encodeQuery, escapePath, type Location, requestTarget } from "../connect/location.ts";
import {
  isUpgrade,
  passedBack,
  passedOn,
  uncached,
  withoutCors,
} from "../connect/proxied-headers.ts";
import { messageOf, upgrade } from "../connect/upgrade.ts";
import { bodyBytes } from "../request/body.ts";
import type { ApiRequest, ApiResponse } from "../request/request.ts";
import { decodedPath } from "../request/request-info.ts";
import { textResponse } from "../request/respond.ts";
import type { Caller } from "./delegates.ts";
import type { RemoteApi } from "./remote-api.ts";
import { connectionFault, type RemoteServers } from "./remote-servers.ts";
import { userHeaders } from "./user-headers.ts";

/** Proxies a request to the server of a remote API, which learns from headers who the caller is. */
export async function proxyToApi(
  request: ApiRequest,
  { api, caller }: { readonly api: RemoteApi; readonly caller: Caller },
  servers: RemoteServers,
): Promise<ApiResponse> {
  if (!api.isAvailable) return unavailable();
  const fault = connectionFault(api);
  if (fault !== undefined) return textResponse(500, `${fault}\n`);
  let location: Location;
  try {
    const path = decodedPath(request.path) ?? request.path;
    const query = encodeQuery([...new URLSearchParams(request.query)]);
    location = { ...servers.locate(api), path, query };
  } catch (error) {
    servers.parts.log.warn("service of an API has no address", {
      api: api.name,
      error: messageOf(error),
    });
    return unavailable();
  }
  try {
    return await (isUpgrade(request) ? upgraded : answered)(request, {
      location,
      headers: headersFor(request, { location, caller, isUserHeader: servers.isUserHeader }),
      servers,
    });
  } catch (error) {
    return textResponse(503, `${messageOf(error)}\n`);
  }
}

const unavailable = (): ApiResponse => textResponse(503, "service unavailable\n");

interface Proxied {
  readonly location: Location;
  readonly headers: HeaderLines;
  readonly servers: RemoteServers;
}

function upgraded(
  request: ApiRequest,
  { location, headers, servers }: Proxied,
): Promise<ApiResponse> {
  const { network, clock } = servers.parts;
  const connections = { network, kubelet: {} };
  return upgrade(request, location, { connections, clock, signal: request.signal, headers });
}

async function answered(
  request: ApiRequest,
  { location, headers, servers }: Proxied,
): Promise<ApiResponse> {
  const { method, signal } = request;
  const { clock, options } = servers.parts;
  const forwarded = [
    ["X-Forwarded-Host", location.host],
    ["X-Forwarded-Proto", location.scheme],
    ["X-Forwarded-Uri", escapePath(location.path)],
  ] as const;
  const body = request.incoming ?? bodyBytes(request);
  const sent = {
    method,
    target: requestTarget(location),
    headers: [...headers, ...forwarded],
    body,
  };
  const ms = isDiscovery(location.path) ? discoveryTimeout : Number.POSITIVE_INFINITY;
  const exchange = new Exchange(signal, { clock, ms });
  const response = await servers.send(location, sent, exchange.signal).catch((cause: unknown) => {
    exchange.end();
    const why = exchange.isLate ? "context deadline exceeded" : messageOf(cause);
    const message = `error trying to reach service: ${why}`;
    throw new StatusError("ServiceUnavailable", message, { cause });
  });
  if (isRedirect(response) && options.rejectsRedirects !== false) {
    exchange.cutOff();
    return rejectedRedirect;
  }
  const { status } = response;
  const passed = uncached(withoutCors(passedBack(response.headers)));
  return { status, headers: passed, body: exchange.endingWith(response.body), isPatient: true };
}

/** Clients read the resources of all versions before they do anything, so that this must be fast. */
const discoveryTimeout = 5000;
const isDiscovery = (path: string): boolean => /^\/+apis\/+[^/]+\/+[^/]+\/*$/.test(path);

/** A request to another server and its response, of which the client's signal or a time limit is the end. */
class Exchange {
  readonly #controller = new AbortController();
  readonly #unfollow: () => void;
  readonly #timer: Timer | undefined;

  constructor(client: AbortSignal, { clock, ms }: { readonly clock: Clock; readonly ms: number }) {
    this.#unfollow = onAbort(client, () => this.#controller.abort(client.reason));
    if (Number.isFinite(ms))
      this.#timer = clock.setTimer(ms, () => this.#controller.abort(new DeadlineExceeded(ms)));
  }

  /** Closes the connection. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isLate(): boolean {
    return this.signal.reason instanceof DeadlineExceeded;
  }

  /** The body, after which this ends. */
  async *endingWith(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* body;
    } finally {
      this.end();
    }
  }

  end(): void {
    this.#timer?.cancel();
    this.#unfollow();
  }

  cutOff(): void {
    this.end();
    this.#controller.abort();
  }
}

const isRedirect = ({ status, headers }: HttpResponse): boolean =>
  status >= 300 && status <= 399 && (headerOf(headers, "location") ?? "") !== "";

/** A redirect would let another server send clients, with their credentials, anywhere. */
const rejectedRedirect: ApiResponse = {
  status: 502,
  headers: uncached({}),
  body: "the backend attempted to redirect this request, which is not permitted",
};

/** The headers for the server: who the caller is, and no credentials. */
function headersFor(
  request: ApiRequest,
  {
    location: { host },
    caller: { user, auditId },
    isUserHeader,
  }: {
    readonly location: Location;
    readonly caller: Caller;
    readonly isUserHeader: (name: string) => boolean;
  },
): HeaderLines {
  // The connection is kept.
  const dropped = ["host", "audit-id", ...(isUpgrade(request) ? [] : ["connection"])];
  const kept = passedOn(request, host).filter(([name]) => {
    const lower = name.toLowerCase();
    return !dropped.includes(lower) && !isUserHeader(lower);
  });
  return [["Host", host], ...kept, ["Audit-ID", auditId], ...userHeaders(user)];
}
