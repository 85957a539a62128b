import type { ApiRequest, ApiResponse } from "./request.ts";

type Handle = (request: ApiRequest) => Promise<ApiResponse>;

/** Tells clients to come by HTTPS only, in these directives; without any it tells them nothing. */
export function withTransportSecurity(handle: Handle, directives: readonly string[]): Handle {
  if (directives.length === 0) return handle;
  const header = { "strict-transport-security": directives.join("; ") };
  return async (request) => {
    const response = await handle(request);
    return { ...response, headers: { ...header, ...response.headers } };
  };
}
