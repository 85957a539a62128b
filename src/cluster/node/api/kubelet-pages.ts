import type { VersionInfo } from "../../../apiserver/documents/documents.ts";
import { health } from "../../../apiserver/documents/health-endpoints.ts";
import { flagzPage } from "../../../apiserver/documents/zpages/flagz.ts";
import { pageResponse } from "../../../apiserver/documents/zpages/page-response.ts";
import { statuszPage } from "../../../apiserver/documents/zpages/statusz.ts";
import { HealthSlis } from "../../../apiserver/metrics/health-slis.ts";
import { metricsResponse } from "../../../apiserver/metrics/metrics-response.ts";
import { Query } from "../../../apiserver/request/query.ts";
import type { ApiRequest, ApiResponse } from "../../../apiserver/request/request.ts";
import type { Clock } from "../../../base/clock.ts";
import type { MetricsRegistry } from "../../../base/metrics-registry.ts";
import type { Random } from "../../../base/random.ts";
import type { KubeletPages } from "../../../kubelet/api/kubelet-api.ts";
import type { KubeletRequest, KubeletResponse } from "../../../kubelet/api/kubelet-request.ts";
import { stringifyJson } from "../../../schema/json/strict-json.ts";
import { quote } from "../../../schema/values/quote.ts";
import { profilePages } from "../../debugging/profile-pages.ts";

export interface KubeletPagesOptions {
  readonly version: VersionInfo;
  readonly metrics: MetricsRegistry;
  readonly probeMetrics: MetricsRegistry;
  /** The kubelet's configuration, for `/configz`. */
  readonly configuration?: object | undefined;
  /** The values of its flags; without them there is no `/flagz`. */
  readonly flags?: Readonly<Record<string, string>> | undefined;
  /** Sets the verbosity of the log. */
  readonly setVerbosity?: ((verbosity: number) => void) | undefined;
  readonly clock: Clock;
  readonly random: Random;
}

/** Serves the pages of a kubelet about itself. */
export function kubeletPages(options: KubeletPagesOptions): KubeletPages {
  const { version, metrics, probeMetrics, configuration, flags, clock, random } = options;
  const startedAt = clock.now();
  const profiles = profilePages();
  const slis = new HealthSlis(startedAt);
  const respond = (
    page: string,
    request: ApiRequest,
  ): Promise<ApiResponse> | ApiResponse | undefined => {
    switch (page) {
      case "healthz": {
        const observe = slis.checked.bind(slis);
        return health(request.path, new Query(request.query), { checks, observe });
      }
      case "metrics":
        return metricsResponse({ ...request, method: "GET" }, metrics, startedAt);
      case "metrics/probes":
        return metricsResponse({ ...request, method: "GET" }, probeMetrics, startedAt);
      case "metrics/slis":
        return metricsResponse(request, slis.metrics, startedAt);
      case "configz":
        return jsonPage({ kubeletconfig: configuration ?? {} });
      case "debug/pprof":
        return profiles(request);
      case "debug/flags/v":
        return verbosityPage(request, options.setVerbosity);
      case "flagz":
        return flags && pageResponse(request, flagzPage(flags, random), "kubelet");
      case "statusz": {
        const now = clock.now();
        const paths = listedPaths.filter((path) => flags || path !== "/flagz");
        const status = statuszPage({ version, startedAt, now, paths, random });
        return pageResponse(request, status, "kubelet");
      }
      default:
        return undefined;
    }
  };
  return async (page, request) => {
    const response = await respond(page, apiRequest(request));
    return response && kubeletResponse(response);
  };
}

/** A kubelet that responds writes its log and syncs its pods: both happen in its one thread. */
const checks = ["ping", "log", "syncloop"].map((name) => ({ name, check: () => undefined }));

/** The paths that `/statusz` lists. */
const listedPaths = ["/configz", "/debug", "/flagz", "/healthz", "/metrics"];

const apiRequest = ({
  method,
  path,
  query,
  headers,
  signal,
  body,
}: KubeletRequest): ApiRequest => ({
  ...{ method, path, query: query.toString(), headers, signal },
  ...{ body, peer: undefined, remoteAddress: "" },
});

const kubeletResponse = ({ status, headers, body }: ApiResponse): KubeletResponse => ({
  status,
  headers: Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value].flat().join(", ")]),
  ),
  body: body as KubeletResponse["body"],
});

/** Sets the verbosity of the log to the number in the body of a request. */
function verbosityPage(
  { method, body }: ApiRequest,
  set: KubeletPagesOptions["setVerbosity"] = () => {},
): ApiResponse {
  if (method !== "PUT") return plainPage(406, "unsupported http method");
  const text = new TextDecoder().decode(body);
  const fault = (why: string) =>
    plainPage(400, `strconv.ParseUint: parsing ${quote(text)}: ${why}`);
  if (!/^\d+$/.test(text)) return fault("invalid syntax");
  if (Number(text) >= 2 ** 32) return fault("value out of range");
  set(Number(text));
  return plainPage(200, `successfully set klog.logging.verbosity to ${text}`);
}

const plainPage = (status: number, body: string): ApiResponse => ({
  status,
  headers: { "content-type": "text/plain", "x-content-type-options": "nosniff" },
  body,
});

const jsonPage = (value: object): ApiResponse => ({
  status: 200,
  headers: { "content-type": "application/json" },
  body: stringifyJson(value),
});
