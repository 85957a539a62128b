import type { DebugPages, VersionInfo } from "../../apiserver/documents/documents.ts";
import { health } from "../../apiserver/documents/health-endpoints.ts";
import { flagzPage } from "../../apiserver/documents/zpages/flagz.ts";
import { pageResponse } from "../../apiserver/documents/zpages/page-response.ts";
import { statuszPage } from "../../apiserver/documents/zpages/statusz.ts";
import { metricsResponse } from "../../apiserver/metrics/metrics-response.ts";
import { Query } from "../../apiserver/request/query.ts";
import type { ApiResponse } from "../../apiserver/request/request.ts";
import { textResponse } from "../../apiserver/request/respond.ts";
import type { MetricsRegistry } from "../../base/metrics-registry.ts";
import type { HealthReport } from "../../controller-runtime/manager/health.ts";
import type { ControllerParts } from "../../controllers/controller-module.ts";
import { realClock } from "../../platform/real-clock.ts";
import { systemRandom } from "../../platform/system-entropy.ts";
import { stringifyJson } from "../../schema/json/strict-json.ts";
import type { Routes } from "./component-handler.ts";

/** What a component serves about itself over HTTP. */
export interface ComponentPages {
  /** The component's name, such as `kube-scheduler`. */
  readonly name: string;
  /** The version that `/statusz` shows. */
  readonly version: VersionInfo;
  readonly health: () => HealthReport;
  readonly ready: () => HealthReport;
  readonly metrics: MetricsRegistry;
  /** Its configuration, by the name under which `/configz` shows it. */
  readonly configuration: Readonly<Record<string, object>>;
  /** The values of its flags, as `/flagz` shows them. */
  readonly flags: Readonly<Record<string, string>>;
  /** Pages about the process, such as profiles. */
  readonly profiles?: DebugPages | undefined;
  /** Handlers below `/debug/controllers/NAME`. */
  readonly debug?: ReadonlyMap<string, NonNullable<ControllerParts["debug"]>> | undefined;
}

/** The paths that `/statusz` lists; debug paths are left out. */
const listed = ["/configz", "/flagz", "/healthz", "/livez", "/metrics", "/readyz", "/statusz"];

/** Serves the pages of a component about itself. */
export function componentRoutes(pages: ComponentPages): Routes {
  const { name, version, metrics, configuration, flags, debug = new Map() } = pages;
  const startedAt = realClock.now();
  return (request, path) => {
    const [, first = "", second = "", third = "", ...rest] = path.split("/");
    if (first === "debug" && second === "controllers") {
      const answer = debug.get(third);
      return (
        answer &&
        debugResponse(
          answer(rest.map((part) => `/${part}`).join(""), new URLSearchParams(request.query)),
        )
      );
    }
    const profile = pages.profiles?.(request);
    if (profile) return profile;
    if (first === "healthz" || first === "livez" || first === "readyz")
      return health(path, new Query(request.query), { checks: checksOf(pages, first) });
    switch (path) {
      case "/metrics":
        return metricsResponse(request, metrics, startedAt);
      case "/configz":
        return jsonResponse(configuration);
      case "/flagz":
        return pageResponse(request, flagzPage(flags, systemRandom), name);
      case "/statusz": {
        const now = realClock.now();
        const page = { version, startedAt, now, paths: listed, random: systemRandom };
        return pageResponse(request, statuszPage(page), name);
      }
      default:
        return undefined;
    }
  };
}

/** The checks of an endpoint: a live component has to respond, nothing more. */
function checksOf({ health, ready }: ComponentPages, endpoint: string) {
  const { checks } =
    endpoint === "readyz"
      ? ready()
      : endpoint === "healthz"
        ? health()
        : { checks: { ping: undefined } };
  return Object.entries(checks).map(([name, fault]) => ({
    name,
    ofReadiness: endpoint === "readyz",
    check: () => fault,
  }));
}

const debugResponse = ({
  status,
  contentType,
  body,
}: ReturnType<NonNullable<ControllerParts["debug"]>>): ApiResponse => ({
  ...textResponse(status, body),
  headers: { ...textResponse(status, body).headers, "content-type": contentType },
});

const jsonResponse = (value: object): ApiResponse => ({
  status: 200,
  headers: { ...textResponse(200, "").headers, "content-type": "application/json" },
  body: stringifyJson(value),
});
