import { type Clock, DeadlineExceeded, withDeadline } from "../../base/clock.ts";
import { type ByteStream, hostPort } from "../../base/network.ts";
import { onAbort } from "../../base/on-abort.ts";
import { type HttpRequest, type HttpResponse, sendRequest } from "./http-client.ts";
import type { Connections } from "./kubelet-connection.ts";
import { type Location, targetOf } from "./location.ts";

/** What one request to another server needs. */
export interface Outbound {
  readonly connections: Connections;
  readonly clock: Clock;
  /** Aborted when the caller has gone. */
  readonly signal: AbortSignal;
}

const dialTimeout = 30_000;

/** Opens a connection to a location; the signal closes it. */
export async function dial(location: Location, outbound: Outbound): Promise<ByteStream> {
  const { connections, clock, signal } = outbound;
  const target = targetOf(location);
  const { host, port } = target;
  if (port > 65535) throw new Error(`dial tcp: address ${port}: invalid port`);
  const ms = connections.kubelet.timeout ?? dialTimeout;
  const opened = await withDeadline({ clock, ms, signal }, (until) =>
    connections.network.dial(target, until),
  ).catch((error: unknown) => {
    if (!(error instanceof DeadlineExceeded)) throw error;
    throw new Error(`dial tcp ${hostPort(host, port)}: i/o timeout`, { cause: error });
  });
  onAbort(signal, () => void opened.destroy());
  return opened;
}

/** Sends one request on a connection of its own. */
export async function roundTrip(
  location: Location,
  request: HttpRequest,
  outbound: Outbound,
): Promise<HttpResponse> {
  return sendRequest(await dial(location, outbound), request);
}
