import type { Log } from "../../base/log.ts";
import type { ImageService } from "../../cri/image-service.ts";
import type { RuntimeService } from "../../cri/runtime-service.ts";
import type { KubeletConfiguration } from "../../kubelet/config/kubelet-configuration.ts";
import { realClock } from "../../platform/real-clock.ts";
import { SpanExporter } from "../tracing/span-exporter.ts";
import { tracingSettings } from "../tracing/tracing-configuration.ts";
import { type NodeTracer, nodeTracer } from "./node-tracer.ts";

/** The traces of a node, which go to a collector. */
export interface NodeTracing {
  readonly tracer: NodeTracer;
  /** The runtime of the node, with a span for each call that does something. */
  services(runtime: NodeServices): NodeServices;
  /** Sends what waits. */
  close(): Promise<void>;
}

interface NodeServices {
  readonly runtime: RuntimeService;
  readonly images: ImageService;
}

/** Connects the traces of a node with the collector of its configuration. */
export function openNodeTracing(
  configuration: NonNullable<KubeletConfiguration["tracing"]>,
  { name, log }: { readonly name: string; readonly log: Log },
): NodeTracing {
  const { endpoint, samplingRatePerMillion } = configuration;
  const { address, ratePerMillion } = tracingSettings({ endpoint, samplingRatePerMillion });
  const service = { name: "kubelet", instance: name };
  const exporter = new SpanExporter({ address, service, clock: realClock, log });
  const tracer = nodeTracer({
    ...{ ratePerMillion, clock: realClock },
    exportSpan: (span) => exporter.export(span),
  });
  return {
    tracer,
    services: ({ runtime, images }) => ({
      runtime: tracer.calls(runtime, "runtime.v1.RuntimeService", [
        ...(["runPodSandbox", "stopPodSandbox", "removePodSandbox", "createContainer"] as const),
        ...(["startContainer", "stopContainer", "removeContainer", "execSync"] as const),
        ...(["updateContainerResources", "containerStatus", "podSandboxStatus"] as const),
      ]),
      images: tracer.calls(images, "runtime.v1.ImageService", ["pullImage", "removeImage"]),
    }),
    close: () => exporter.close(),
  };
}
