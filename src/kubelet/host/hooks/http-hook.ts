import { errorMessage } from "../../../base/error-message.ts";
import type { HookMetrics } from "../../pod/container/hook-metrics.ts";
import type { HookRequest } from "../../pod/container/hook-runner.ts";
import { type HttpGetRequest, httpGetRequest } from "../../pod/http-get/http-get-request.ts";
import { httpGet } from "../http/http-get.ts";

/** Sends the request of a hook; any response will do. A server without TLS gets it again without TLS. */
export async function httpHook(request: HookRequest, metrics?: HookMetrics): Promise<void> {
  const { handler, container, podIP, signal, record } = request;
  if (!handler.httpGet) return;
  // Without a host, the request would go to this machine.
  if (!handler.httpGet.host && podIP === "") throw new Error("failed to find networking container");
  const sent = httpGetRequest(handler.httpGet, { container, podIP, purpose: "lifecycle" });
  try {
    await httpGet(sent, { ...options, signal });
  } catch (error) {
    if (!errorMessage(error).includes("server gave HTTP response to HTTPS client")) throw error;
    const plain = withoutTls(sent);
    try {
      await httpGet(plain, { ...options, signal });
    } catch {
      throw error;
    }
    metrics?.fellBack();
    record({
      type: "Warning",
      reason: "LifecycleHTTPFallback",
      message: `request to HTTPS lifecycle hook ${plain.url.authority} got HTTP response, retry with HTTP succeeded`,
    });
  }
}

const options = { protocols: ["http/1.1"], connectionHeaders: ["Accept-Encoding: gzip"] } as const;

/** Credentials are not sent without TLS. */
function withoutTls({ url, host, headers }: HttpGetRequest): HttpGetRequest {
  const kept = new Map(headers);
  kept.delete("Authorization");
  return { url: { ...url, scheme: "http" }, host, headers: kept };
}
