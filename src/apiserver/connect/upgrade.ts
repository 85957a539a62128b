import { badRequest, StatusError } from "../../api/meta/v1/status-error.ts";
import { bodyBytes } from "../request/body.ts";
import type { ApiRequest, ApiResponse } from "../request/request.ts";
import { sendRequest } from "./http-client.ts";
import { type Location, requestTarget } from "./location.ts";
import { dial, type Outbound } from "./outbound.ts";
import { isUpgrade, passedBack, passedOn } from "./proxied-headers.ts";
import { splice } from "./splice.ts";

/** Passes a request on that must go on in another protocol. */
export async function upgradeOnly(
  request: ApiRequest,
  location: Location,
  outbound: Outbound,
): Promise<ApiResponse> {
  if (!isUpgrade(request)) throw badRequest("Upgrade request required");
  return upgrade(request, location, outbound);
}

/**
 * Passes a request on with all that it wants to be upgraded to. What follows is bytes: nothing here
 * knows the protocols that client and kubelet speak with each other.
 */
export async function upgrade(
  request: ApiRequest,
  location: Location,
  outbound: Outbound,
): Promise<ApiResponse> {
  const stream = await dial(location, outbound).catch((cause: unknown) => {
    throw failed(`error dialing backend: ${messageOf(cause)}`, cause);
  });
  const { method } = request;
  const headers = passedOn(request, location.host);
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
      takeOver: (client) => splice(client, upgraded, outbound.clock),
    };
  }
  if (status >= 400) return { status, headers: passedBack(response.headers), body: response.body };
  stream.destroy();
  throw failed(`invalid upgrade response: status code ${status}`);
}

/** A failure that upstream gives no reason for. */
const failed = (message: string, cause?: unknown): StatusError =>
  new StatusError("", message, { cause });

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
