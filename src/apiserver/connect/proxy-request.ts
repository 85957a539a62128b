import { StatusError } from "../../api/meta/v1/status-error.ts";
import { headerOf } from "../../base/http/http1-message.ts";
import { bodyBytes } from "../request/body.ts";
import type { ApiRequest, ApiResponse } from "../request/request.ts";
import type { HttpResponse } from "./http-client.ts";
import { escapePath, joinPaths, type Location, requestTarget } from "./location.ts";
import { type Outbound, roundTrip } from "./outbound.ts";
import { isUpgrade, passedBack, passedOn, uncached, withoutCors } from "./proxied-headers.ts";
import { rewrittenBody } from "./rewrite-body.ts";
import { type PageAddress, rewriteUrl } from "./rewrite-url.ts";
import { messageOf, upgrade } from "./upgrade.ts";

/** Proxies a request to a location, and rewrites the links in the response so that they lead through here. */
export async function proxy(
  request: ApiRequest,
  location: Location,
  outbound: Outbound,
): Promise<ApiResponse> {
  if (isUpgrade(request)) return upgrade(request, location, outbound);
  const { method, query } = request;
  const path = decodeURIComponent(request.path);
  if (location.path === "" && (method === "GET" || method === "HEAD"))
    return redirected(`${escapePath(path)}/${query === "" ? "" : `?${query}`}`);
  const prefix = path.endsWith(location.path)
    ? path.slice(0, path.length - location.path.length)
    : path;
  const target = { ...location, query };
  const response = await roundTrip(
    target,
    {
      method,
      target: requestTarget(target),
      headers: passedOn(request, location.host, [
        ["x-forwarded-uri", forwardedUri(prefix, location.path)],
      ]),
      body: request.incoming ?? bodyBytes(request),
    },
    outbound,
  ).catch((cause: unknown) => {
    const message = `error trying to reach service: ${messageOf(cause)}`;
    throw new StatusError("ServiceUnavailable", message, { cause });
  });
  const { host } = location;
  return answered(response, { prefix, host, requestHost: request.headers.host ?? "" });
}

/** Redirects to the path with a slash, so that links of a page are relative to it. */
const redirected = (location: string): ApiResponse => ({
  status: 301,
  headers: { location, ...uncached({}) },
  body: undefined,
});

function forwardedUri(prefix: string, path: string): string {
  const joined = joinPaths(prefix, escapePath(path));
  return path.endsWith("/") ? `${joined}/` : joined;
}

function answered(response: HttpResponse, page: PageAddress): ApiResponse {
  const { status } = response;
  const isPatient = true;
  const headers = uncached(withoutCors(passedBack(response.headers)));
  const redirect = headerOf(response.headers, "location");
  if (redirect !== undefined && redirect !== "")
    return {
      status,
      headers: { ...headers, location: rewriteUrl(redirect, page) },
      body: response.body,
      isPatient,
    };
  const rewritten = rewrittenBody(response, (url) => rewriteUrl(url, page));
  if (!rewritten) return { status, headers, body: response.body, isPatient };
  const { "content-length": _, ...rest } = headers as Record<string, string | string[]>;
  return { status, headers: rest, body: rewritten, isPatient };
}
