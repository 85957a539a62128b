import { badRequest, StatusError } from "../../api/meta/v1/status-error.ts";
import type { HeaderLines } from "../../base/http/http1-message.ts";
import { bodyBytes } from "../request/body.ts";
import type { ApiRequest, ApiResponse } from "../request/request.ts";
import { sendRequest } from "./http-client.ts";
import { type Location, requestTarget } from "./location.ts";
import { dial, type Outbound } from "./outbound.ts";
import { isUpgrade, passedBack, passedOn } from "./proxied-headers.ts";
import { splice } from "./splice.ts";

/** Proxies a request that must change the protocol. */
export async function upgradeOnly(
  request: ApiRequest,
  location: Location,
  outbound: Outbound,
): Promise<ApiResponse> {
  if (!isUpgrade(request)) throw badRequest("Upgrade request required");
  return upgrade(request, location, outbound);
}

/** What an upgrade needs, and the headers that the target gets; the request's own if not given. */
export interface UpgradeOutbound extends Outbound {
  readonly headers?: HeaderLines;
}

/**
 * Proxies a request with its upgrade headers. After the upgrade only bytes are copied: this server does not
 * know the protocol between client and kubelet.
 */
export async function upgrade(
  request: ApiRequest,
  location: Location,
  outbound: UpgradeOutbound,
): Promise<ApiResponse> {
  const stream = await dial(location, outbound).catch((cause: unknown) => {
    throw failed(`error dialing backend: ${messageOf(cause)}`, cause);
  });
  const { method } = request;
  const headers = outbound.headers ?? passedOn(request, location.host);
  const body = request.incoming ?? bodyBytes(request);
  const asked = { method, target: requestTarget(location), headers, body };
  const response = await sendRequest(stream, asked).catch((cause: unknown) => {
    throw failed(messageOf(cause), cause);
  });
  const { status, upgraded } = response;
  if (upgraded) {
    const kept = passedBack(
      response.headers.filter(([name]) => name.toLowerCase() !== "connection"),
    );
    const protocol = response.headers.find(([name]) => name.toLowerCase() === "upgrade")?.[1] ?? "";
    return {
      status,
      headers: { ...kept, connection: "Upgrade", upgrade: protocol },
      body: undefined,
      takeOver: (client) =>
        splice(client, upgraded, {
          clock: outbound.clock,
          bytesPerSecond: outbound.connections.kubelet.bytesPerSecond,
        }),
    };
  }
  if (status >= 400) return { status, headers: passedBack(response.headers), body: response.body };
  stream.destroy();
  throw failed(`invalid upgrade response: status code ${status}`);
}

/** An error without a reason, as upstream's. */
const failed = (message: string, cause?: unknown): StatusError =>
  new StatusError("", message, { cause });

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
