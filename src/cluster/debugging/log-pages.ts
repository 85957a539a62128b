import type { DebugPages } from "../../apiserver/documents/documents.ts";
import { decodedPath } from "../../apiserver/request/request-info.ts";
import { systemLogs } from "../../kubelet/host/system-logs.ts";

/** Serves the files below a folder at /logs/, as a kubelet does. */
export function logPages(folder = "/var/log"): DebugPages {
  const logs = systemLogs(folder);
  return (request) => {
    const path = decodedPath(request.path) ?? "";
    if (path !== "/logs" && !path.startsWith("/logs/")) return undefined;
    return logs(path.slice("/logs".length), { path }).then(({ status, headers, body }) => ({
      ...{ status, headers, body },
    }));
  };
}

/** The pages of all of them. */
export const allPages =
  (pages: readonly DebugPages[]): DebugPages =>
  (request) => {
    for (const page of pages) {
      const response = page(request);
      if (response) return response;
    }
    return undefined;
  };
