import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { mirrorPodAnnotation } from "../../api/core/v1/pod/pod-annotations.ts";
import type { Clock } from "../../base/clock.ts";
import { errorMessage } from "../../base/error-message.ts";
import { type Log, noLog } from "../../base/log.ts";
import type { ServeStreams } from "../../base/stream-connection.ts";
import type { Kubelet } from "../kubelet.ts";
import { containerNamed } from "../pod/container/container-config.ts";
import { type NodeStatistics, nodeStatistics } from "../stats/node-statistics.ts";
import type { StatsHost } from "../stats/stats-host.ts";
import { checkpointContainer } from "./checkpoint-container.ts";
import { containerLogOptions, containerLogs, loggedContainer } from "./container-logs.ts";
import {
  httpError,
  jsonResponse,
  type KubeletHandler,
  type KubeletRequest,
  type KubeletResponse,
  textResponse,
} from "./kubelet-request.ts";
import { forwardPorts, streamContainer } from "./kubelet-streams.ts";
import { findRoute, type PageName, type RouteName, type RouteSettings } from "./routes.ts";
import { runCommand } from "./run-command.ts";
import { podList, runningPods } from "./running-pods.ts";

export interface KubeletApiOptions {
  /** Finds the kubelet for a request: that of the pod, or the one that the request names. */
  readonly kubeletFor: (request: KubeletRequest, pod?: PodKey) => Kubelet | undefined;
  readonly clock: Clock;
  /** Begins the server's side of SPDY; without it, only WebSockets are served. */
  readonly serveStreams?: ServeStreams | undefined;
  /** Whether clients may read one of the two streams of a log. */
  readonly splitsLogStreams?: boolean | undefined;
  /** Which parts are served; all by default. */
  readonly settings?: RouteSettings | undefined;
  /** Pages about the program itself: health, metrics, configuration. */
  readonly pages?: KubeletPages | undefined;
  /** Serves the log files of the node; there are none without it. */
  readonly systemLogs?:
    | ((path: string, request: KubeletRequest) => Promise<KubeletResponse>)
    | undefined;
  /** Reads what the machine uses; without it only the usage of containers is known. */
  readonly statsHost?: StatsHost | undefined;
  readonly log?: Log | undefined;
  /** The folder of checkpoints of containers. */
  readonly checkpointsDir?: string | undefined;
}

/** Responds with a page; undefined if there is none. */
export type KubeletPages = (
  page: PageName,
  request: KubeletRequest,
) => Promise<KubeletResponse | undefined> | KubeletResponse | undefined;

export interface PodKey {
  readonly namespace: string;
  readonly name: string;
}

/** A kubelet's API. It does not authorize requests: its server does. */
export function kubeletApi(options: KubeletApiOptions): KubeletHandler {
  return async (request) => {
    try {
      const route = findRoute(request, options.settings ?? everything);
      if ("status" in route) return route;
      const { name, params } = route;
      const key = { namespace: params.namespace ?? "", name: params.pod ?? "" };
      if (params.pod !== undefined) return await aboutPod(name, { request, options, params, key });
      return await aboutNode(name, params["*"] ?? "", { request, options });
    } catch (error) {
      return textResponse(500, errorMessage(error));
    }
  };
}

const everything: RouteSettings = { debugging: true, systemLogs: true };

interface Asked {
  readonly request: KubeletRequest;
  readonly options: KubeletApiOptions;
}

interface AskedPod extends Asked {
  readonly params: Readonly<Record<string, string>>;
  readonly key: PodKey;
}

async function aboutPod(name: RouteName, asked: AskedPod): Promise<KubeletResponse> {
  const { request, options, params, key } = asked;
  const { container = "" } = params;
  if (name === "containerLogs") return logs(asked, container);
  const kubelet = options.kubeletFor(request, key);
  const pod = kubelet?.pod(key.namespace, key.name);
  if (!kubelet || !pod) return textResponse(404, "pod does not exist");
  const uid = params.uid === undefined ? undefined : runningUid(params.uid, kubelet);
  const { clock, serveStreams, checkpointsDir: folder = "/var/lib/kubelet/checkpoints" } = options;
  const streamed = { kubelet, pod, uid, clock, serveStreams };
  switch (name) {
    case "exec":
    case "attach":
      return streamContainer(name, { ...streamed, container }, request);
    case "portForward":
      return forwardPorts(streamed, request);
    case "run":
      return runCommand(kubelet, { pod, container }, request.query);
    default:
      return checkpointContainer(kubelet, {
        ...{ pod, container, folder },
        ...{ query: request.query, now: clock.now() },
      });
  }
}

/** The UID under which a pod runs: callers may know a static pod by the UID of its mirror pod. */
function runningUid(uid: string, kubelet: Kubelet): string {
  const mirror = kubelet.mirrorPods().find(({ metadata }) => metadata.uid === uid);
  return mirror?.metadata.annotations?.[mirrorPodAnnotation] ?? uid;
}

async function aboutNode(
  name: RouteName,
  rest: string,
  { request, options }: Asked,
): Promise<KubeletResponse> {
  if (name === "logs")
    return (await options.systemLogs?.(rest, request)) ?? httpError(404, "404 page not found");
  const kubelet = options.kubeletFor(request);
  if (!kubelet) return httpError(404, "404 page not found");
  const statistics = nodeStatistics(kubelet, {
    ...{ clock: options.clock, log: options.log ?? noLog, host: options.statsHost },
  });
  switch (name) {
    case "pods":
      return jsonResponse(podList(kubelet.pods()));
    case "runningpods":
      return jsonResponse(podList(await runningPods(kubelet.runtime)));
    case "stats/summary":
      return summary(statistics, request);
    case "metrics/resource":
      return metricsResponse(await statistics.resourceMetrics());
    case "metrics/cadvisor":
      return metricsResponse(await statistics.cadvisorMetrics());
    case "metrics": {
      const response = await page(name, { request, options });
      if (response.status !== 200) return response;
      return { ...response, body: `${response.body}${await statistics.nodeMetrics()}` };
    }
    default:
      return page(name as PageName, { request, options });
  }
}

async function summary(
  statistics: NodeStatistics,
  { query }: KubeletRequest,
): Promise<KubeletResponse> {
  const asked = query.getAll("only_cpu_and_memory");
  try {
    return jsonResponse(await statistics.summary(asked.length === 1 && asked[0] === "true"));
  } catch (error) {
    return textResponse(500, `Internal Error: ${errorMessage(error)}`);
  }
}

const metricsResponse = (text: string): KubeletResponse => ({
  ...textResponse(200, text),
  headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
});

async function page(name: PageName, { request, options }: Asked): Promise<KubeletResponse> {
  if (!options.pages && name === "healthz") return textResponse(200, "ok");
  return (await options.pages?.(name, request)) ?? httpError(404, "404 page not found");
}

function logs({ request, options, key }: AskedPod, container: string): KubeletResponse {
  const parsed = containerLogOptions(request.query, options.clock.now());
  if ("status" in parsed) return parsed;
  const kubelet = options.kubeletFor(request, key);
  const pod: Pod | undefined = kubelet?.pod(key.namespace, key.name);
  if (!kubelet || !pod) return textResponse(404, `pod "${key.name}" does not exist`);
  if (!containerNamed(pod, container))
    return textResponse(404, `container "${container}" not found in pod "${key.name}"`);
  if (parsed.stream !== "All" && !options.splitsLogStreams)
    return textResponse(
      400,
      `unable to return the given log stream: "${parsed.stream}". Please enable PodLogsQuerySplitStreams feature gate in kubelet`,
    );
  const meant = loggedContainer(pod, container, parsed.previous);
  if ("problem" in meant) return textResponse(400, meant.problem);
  const { signal } = request;
  return {
    status: 200,
    headers: { "content-type": "text/plain" },
    body: containerLogs(kubelet.runtime, meant, { options: parsed, signal }),
  };
}
