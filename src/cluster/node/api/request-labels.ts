/** Whether a server has all of the API, or what can be read without credentials. */
export type ServerType = "readwrite" | "readonly";

/** The method, the kind of path, the server and whether it takes long, as labels of a request's metrics. */
export function requestLabels(
  method: string,
  path: string,
  serverType: ServerType,
): readonly [method: string, path: string, serverType: ServerType, isLong: string] {
  const [first = "", second] = path.slice(1).split("/");
  const root = first === "metrics" && second !== undefined ? `metrics/${second}` : first;
  const isKnown =
    shared.has(root) || (serverType === "readwrite" ? own : withoutDebugging).has(root);
  const bucket = isKnown ? root : "other";
  const isLong = longRunning.has(bucket);
  return [methods.has(method) ? method : "other", bucket, serverType, String(isLong)];
}

const methods = new Set(["OPTIONS", "GET", "HEAD", "POST", "PUT", "DELETE", "TRACE", "CONNECT"]);
const shared = new Set([
  ...["healthz", "pods", "stats", "run", "exec", "attach", "portForward", "containerLogs"],
  ...["runningpods", "logs", "metrics", "metrics/cadvisor", "metrics/probes", "metrics/resource"],
]);
const own = new Set(["configz", "checkpoint", "debug", "flagz", "statusz"]);
const withoutDebugging = new Set(["pprof"]);
const longRunning = new Set(["exec", "attach", "portforward", "debug"]);
