import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { Clock } from "../../base/clock.ts";
import { errorMessage } from "../../base/error-message.ts";
import type { MetricsRegistry } from "../../base/metrics-registry.ts";
import type { ServeStreams } from "../../base/stream-connection.ts";
import type { Kubelet } from "../kubelet.ts";
import { containerNamed } from "../pod/container/container-config.ts";
import { containerLogOptions, containerLogs, loggedContainer } from "./container-logs.ts";
import {
  jsonResponse,
  type KubeletHandler,
  type KubeletRequest,
  type KubeletResponse,
  textResponse,
} from "./kubelet-request.ts";
import { forwardPorts, streamContainer } from "./kubelet-streams.ts";
import { resourceMetrics } from "./resource-metrics.ts";
import { statsSummary } from "./stats-summary.ts";

export interface KubeletApiOptions {
  /** Finds the kubelet for a request: that of the pod, or the one that the request names. */
  readonly kubeletFor: (request: KubeletRequest, pod?: PodKey) => Kubelet | undefined;
  readonly clock: Clock;
  /** Begins the server's side of SPDY; without it, only WebSockets are served. */
  readonly serveStreams?: ServeStreams | undefined;
  /** The metrics of probes; without them, there is no `/metrics/probes`. */
  readonly probeMetrics?: Pick<MetricsRegistry, "text"> | undefined;
}

export interface PodKey {
  readonly namespace: string;
  readonly name: string;
}

/** A kubelet's API. It does not authorize requests: its server does. */
export function kubeletApi(options: KubeletApiOptions): KubeletHandler {
  return async (request) => {
    try {
      return await answer(request, options);
    } catch (error) {
      return textResponse(500, errorMessage(error));
    }
  };
}

async function answer(
  request: KubeletRequest,
  options: KubeletApiOptions,
): Promise<KubeletResponse> {
  const { path, method } = request;
  const [, first = "", ...rest] = path.replace(/\/$/, "").split("/");
  if (first === "containerLogs" || first === "exec" || first === "attach")
    return aboutContainer(first, rest, { request, options });
  if (first === "portForward") {
    const [namespace = "", name = ""] = rest;
    const kubelet = options.kubeletFor(request, { namespace, name });
    const pod = kubelet?.pod(namespace, name);
    if (!kubelet || !pod) return textResponse(404, "pod does not exist");
    return forwardPorts({ ...options, kubelet, pod }, request);
  }
  if (method !== "GET" && method !== "HEAD") return textResponse(405, "405: Method Not Allowed");
  if (path === "/healthz" || path === "/healthz/ping") return textResponse(200, "ok");
  const kubelet = options.kubeletFor(request);
  if (!kubelet) return textResponse(404, "404 page not found\n");
  switch (path.replace(/\/$/, "")) {
    case "/pods":
      return jsonResponse({
        kind: "PodList",
        apiVersion: "v1",
        metadata: {},
        items: kubelet.pods(),
      });
    case "/stats/summary":
      return jsonResponse(await statsSummary(kubelet, options.clock.now()));
    case "/metrics/resource":
      return metricsResponse(await resourceMetrics(kubelet, options.clock.now()));
    case "/metrics/probes":
      if (options.probeMetrics) return metricsResponse(options.probeMetrics.text());
  }
  return textResponse(404, "404 page not found\n");
}

const metricsResponse = (text: string): KubeletResponse => ({
  ...textResponse(200, text),
  headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
});

interface Asked {
  readonly request: KubeletRequest;
  readonly options: KubeletApiOptions;
}

/** `/VERB/NAMESPACE/POD/CONTAINER`, with an optional uid before the container. */
function aboutContainer(
  what: "containerLogs" | "exec" | "attach",
  [namespace = "", name = "", ...more]: readonly string[],
  { request, options }: Asked,
): KubeletResponse {
  const container = more.at(-1) ?? "";
  const kubelet = options.kubeletFor(request, { namespace, name });
  const pod = kubelet?.pod(namespace, name);
  if (what === "containerLogs") {
    if (!kubelet || !pod) return textResponse(404, `pod "${name}" does not exist`);
    return logs({ kubelet, pod, container }, { request, options });
  }
  if (!kubelet || !pod) return textResponse(404, "pod does not exist");
  return streamContainer(what, { ...options, kubelet, pod, container }, request);
}

interface AskedContainer {
  readonly kubelet: Kubelet;
  readonly pod: Pod;
  readonly container: string;
}

function logs(
  { kubelet, pod, container }: AskedContainer,
  { request, options: { clock } }: Asked,
): KubeletResponse {
  if (!containerNamed(pod, container)) {
    const { name } = pod.metadata;
    return textResponse(404, `container "${container}" not found in pod "${name}"`);
  }
  const options = containerLogOptions(request.query, clock.now());
  if (!options) return textResponse(400, '{"message": "Unable to decode query."}');
  const meant = loggedContainer(pod, container, options.previous);
  if ("problem" in meant) return textResponse(400, meant.problem);
  return {
    status: 200,
    headers: { "content-type": "text/plain" },
    body: containerLogs(kubelet.runtime, meant.id, { options, signal: request.signal }),
  };
}
