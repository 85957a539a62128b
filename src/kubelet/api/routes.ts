import { httpError, type KubeletResponse, textResponse } from "./kubelet-request.ts";

/** Which parts of its API a kubelet serves. */
export interface RouteSettings {
  /** Whether callers may look into pods and into the kubelet; never on the read-only port. */
  readonly debugging: boolean;
  /** Whether the log files of the node are served. */
  readonly systemLogs: boolean;
  /** Whether profiles of the program are served, and whether its verbosity can be set; by default not. */
  readonly profiling?: boolean | undefined;
  readonly debugFlags?: boolean | undefined;
}

/** A part of the API, and the variable parts of the path by name. */
export interface Route {
  readonly name: RouteName;
  readonly params: Readonly<Record<string, string>>;
}

export type RouteName = ServiceName | PageName;

/** What serves a request, or the response if nothing does. */
export function findRoute(
  { method, path }: { readonly method: string; readonly path: string },
  settings: RouteSettings,
): Route | KubeletResponse {
  const refusal = refusalOf(path, settings);
  if (refusal !== undefined) return httpError(405, refusal);
  const page = path.startsWith("/debug/pprof/") ? "debug/pprof" : pages[path];
  if (page !== undefined && (settings.debugging || basic.has(page)))
    return { name: page, params: {} };
  const parts = path.replace(/^\/|\/$/g, "").split("/");
  const known = services.filter(({ name }) => settings.debugging || basic.has(name));
  const matching = known.flatMap((service) => {
    const params = matchedParams(service.parts, parts);
    return params ? [{ ...service, params }] : [];
  });
  const found = matching.find(({ methods }) => methods.includes(method));
  if (found) return { name: found.name, params: found.params };
  if (matching.length > 0) {
    const allow = [...new Set(matching.flatMap(({ methods }) => methods))].join(", ");
    const response = textResponse(405, "405: Method Not Allowed");
    return { ...response, headers: { ...response.headers, allow } };
  }
  return known.some((service) => service.parts[0] === parts[0])
    ? textResponse(404, "404: Page Not Found")
    : httpError(404, "404 page not found");
}

/** Why a path is not served although it exists; undefined if it is served, or does not exist. */
function refusalOf(
  path: string,
  { debugging, systemLogs, profiling = false, debugFlags = false }: RouteSettings,
): string | undefined {
  if (!debugging)
    return debugPaths.some((prefix) => path.startsWith(prefix))
      ? "Debug endpoints are disabled."
      : undefined;
  if (path.startsWith("/logs/") && !systemLogs) return "logs endpoint is disabled.";
  if (path.startsWith("/debug/pprof/") && !profiling) return "profiling endpoint is disabled.";
  return path === "/debug/flags/v" && !debugFlags ? "flags endpoint is disabled." : undefined;
}

const debugPaths = [
  "/run/",
  "/exec/",
  "/attach/",
  "/portForward/",
  "/containerLogs/",
  "/runningpods/",
  "/debug/pprof/",
  "/logs/",
];

/** Pages are served for every method, at exactly these paths. */
const pages: Readonly<Record<string, PageName>> = {
  __proto__: null as never,
  "/healthz": "healthz",
  "/healthz/ping": "healthz",
  "/healthz/log": "healthz",
  "/healthz/syncloop": "healthz",
  "/metrics": "metrics",
  "/metrics/slis": "metrics/slis",
  "/metrics/cadvisor": "metrics/cadvisor",
  "/metrics/probes": "metrics/probes",
  "/metrics/resource": "metrics/resource",
  "/configz": "configz",
  "/flagz": "flagz",
  "/statusz": "statusz",
  "/debug/flags/v": "debug/flags/v",
};

export type PageName =
  | "healthz"
  | "metrics"
  | "metrics/slis"
  | "metrics/cadvisor"
  | "metrics/probes"
  | "metrics/resource"
  | "configz"
  | "flagz"
  | "statusz"
  | "debug/pprof"
  | "debug/flags/v";

type ServiceName =
  | "pods"
  | "stats/summary"
  | "logs"
  | "run"
  | "exec"
  | "attach"
  | "portForward"
  | "containerLogs"
  | "runningpods"
  | "checkpoint";

/** What is served without the debugging handlers. */
const basic: ReadonlySet<string> = new Set([
  ...["healthz", "pods", "stats/summary"],
  ...["metrics", "metrics/slis", "metrics/cadvisor", "metrics/probes", "metrics/resource"],
]);

const container = "{namespace}/{pod}/{container}";
const containerWithUid = "{namespace}/{pod}/{uid}/{container}";
const both = ["GET", "POST"];

/** The services; `*` stands for the rest of the path. */
const services = (
  [
    ["pods", "pods", ["GET"]],
    ["stats/summary", "stats/summary", both],
    ["logs", "logs", ["GET"]],
    ["logs", "logs/*", ["GET"]],
    ["run", `run/${container}`, ["POST"]],
    ["run", `run/${containerWithUid}`, ["POST"]],
    ["exec", `exec/${container}`, both],
    ["exec", `exec/${containerWithUid}`, both],
    ["attach", `attach/${container}`, both],
    ["attach", `attach/${containerWithUid}`, both],
    ["portForward", "portForward/{namespace}/{pod}", both],
    ["portForward", "portForward/{namespace}/{pod}/{uid}", both],
    ["containerLogs", `containerLogs/${container}`, ["GET"]],
    ["runningpods", "runningpods", ["GET"]],
    ["checkpoint", `checkpoint/${container}`, ["POST"]],
  ] satisfies [ServiceName, string, string[]][]
).map(([name, pattern, methods]) => ({ name, methods, parts: pattern.split("/") }));

/** The variable parts of a path; undefined if it does not match the pattern. */
function matchedParams(
  pattern: readonly string[],
  path: readonly string[],
): Record<string, string> | undefined {
  const isOpen = pattern.at(-1) === "*";
  if (isOpen ? path.length < pattern.length : path.length !== pattern.length) return undefined;
  const params: Record<string, string> = {};
  for (const [at, part] of pattern.entries()) {
    const given = path[at] ?? "";
    if (part === "*") params["*"] = path.slice(at).join("/");
    else if (part.startsWith("{")) params[part.slice(1, -1)] = given;
    else if (part !== given) return undefined;
  }
  return params;
}
