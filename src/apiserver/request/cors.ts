import { goRegexp } from "../../schema/regexp/go-regexp.ts";
import type { ApiRequest, ApiResponse } from "./request.ts";

type Handle = (request: ApiRequest) => Promise<ApiResponse>;

/** Lets pages of these web origins, given as regular expressions, call a server; without any it stays as it is. */
export function withCors(handle: Handle, origins: readonly string[]): Handle {
  if (origins.length === 0) return handle;
  const allowed = origins.map(goRegexp);
  return async (request) => {
    const { origin = "" } = request.headers;
    if (origin === "" || !allowed.some((pattern) => pattern.test(origin))) return handle(request);
    const headers = { "access-control-allow-origin": origin, ...permissions };
    // Browsers ask first: that is for this answer alone.
    if (request.method === "OPTIONS") return { status: 204, headers, body: undefined };
    const response = await handle(request);
    return { ...response, headers: { ...headers, ...response.headers } };
  };
}

const permissions = {
  "access-control-allow-methods": "POST, GET, OPTIONS, PUT, DELETE, PATCH",
  "access-control-allow-headers":
    "Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since",
  "access-control-expose-headers": "Date",
  "access-control-allow-credentials": "true",
};
