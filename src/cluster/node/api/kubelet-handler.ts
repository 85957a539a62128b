import type { ApiHeaders, Handler } from "../../../apiserver/request/request.ts";
import { decodedPath } from "../../../apiserver/request/request-info.ts";
import type { KubeletHandler } from "../../../kubelet/api/kubelet-request.ts";
import { plainText } from "./plain-text.ts";

/** Serves a kubelet's API by a server of HTTP. */
export const kubeletHandler =
  (handle: KubeletHandler): Handler =>
  async (request) => {
    const path = decodedPath(request.path);
    if (path === undefined) return plainText(400, "400 Bad Request");
    const { status, headers, body, takeOver } = await handle({
      method: request.method,
      path,
      query: new URLSearchParams(request.query),
      headers: definedHeaders(request.headers),
      body: request.body,
      // Made on demand: only what streams needs it.
      get signal() {
        return request.signal;
      },
    });
    // A log that is followed may have no new lines for long, and its reader may pause.
    return { status, headers, body, isPatient: true, ...(takeOver && { takeOver }) };
  };

function definedHeaders(headers: ApiHeaders): Record<string, string> {
  const defined: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) defined[name] = value;
  return defined;
}
