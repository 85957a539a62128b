import { getHeapSnapshot } from "node:v8";
import type { DebugPages } from "../../apiserver/documents/documents.ts";
import { Query } from "../../apiserver/request/query.ts";
import type { ApiBody, ApiRequest, ApiResponse } from "../../apiserver/request/request.ts";
import { textResponse } from "../../apiserver/request/respond.ts";
import { errorMessage } from "../../base/error-message.ts";
import { ProfileRecorder } from "../../platform/profiling/record-profile.ts";
import { realClock } from "../../platform/real-clock.ts";
import { redactText } from "../../platform/redact.ts";

const root = "/debug/pprof";

/** What is at each path below the root. */
const profiles: Readonly<Record<string, string>> = {
  cmdline: "The command line of the process, without credentials.",
  heap: "What was allocated within ?seconds=30 and is still in use, in the format of pprof.",
  heapsnapshot:
    "All objects of the heap, for the developer tools of Chrome. The process does nothing else while it is taken.",
  profile: "Where the process spends its time within ?seconds=30, in the format of pprof.",
};

/** Serves profiles of this process; undefined for all other paths. */
export function profilePages(): DebugPages {
  const recorder = new ProfileRecorder();
  return (request) => {
    const { path } = request;
    if (path === root) return redirect(`${root}/`);
    if (!path.startsWith(`${root}/`)) return undefined;
    switch (path.slice(root.length + 1)) {
      case "":
        return download("text/html; charset=utf-8", index);
      case "cmdline":
        return textResponse(200, process.argv.map(redactText).join("\0"));
      case "profile":
        return record("profile", request, (options) => recorder.cpu(options));
      case "heap":
        return record("heap", request, (options) => recorder.heap(options));
      case "heapsnapshot":
        return download(octets, getHeapSnapshot(), "heap.heapsnapshot");
      default:
        return textResponse(404, "Unknown profile\n");
    }
  };
}

const longestSeconds = 3600;

async function record(
  name: string,
  { query, signal }: ApiRequest,
  take: (options: Parameters<ProfileRecorder["cpu"]>[0]) => Promise<Uint8Array>,
): Promise<ApiResponse> {
  const asked = Number(new Query(query).text("seconds"));
  const seconds = asked > 0 ? Math.min(asked, longestSeconds) : 30;
  try {
    const bytes = await take({ durationMs: seconds * 1000, clock: realClock, signal });
    return download(octets, bytes, name);
  } catch (error) {
    return textResponse(500, `Could not enable profiling: ${errorMessage(error)}\n`);
  }
}

const octets = "application/octet-stream";

const download = (contentType: string, body: ApiBody, fileName?: string): ApiResponse => ({
  status: 200,
  headers: {
    "content-type": contentType,
    "x-content-type-options": "nosniff",
    ...(fileName !== undefined && { "content-disposition": `attachment; filename="${fileName}"` }),
  },
  body,
});

const redirect = (location: string): ApiResponse => ({
  ...textResponse(301, ""),
  headers: { location },
});

const index = `<!DOCTYPE html>
<html><head><title>${root}/</title></head><body>
<h1>${root}/</h1>
<dl>
${Object.entries(profiles)
  .map(([name, what]) => `<dt><a href="${name}">${name}</a></dt><dd>${what}</dd>\n`)
  .join("")}</dl>
</body></html>
`;
