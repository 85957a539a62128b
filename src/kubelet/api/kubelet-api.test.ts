import { expect, test } from "vitest";
import { MetricsRegistry } from "../../base/metrics-registry.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import type { Kubelet } from "../kubelet.ts";
import { createProbeMetrics } from "../pod/probes/probe-metrics.ts";
import { kubeletApi } from "./kubelet-api.ts";

test("kubeletApi: serves the metrics of probes where they are counted", async () => {
  const probeMetrics = new MetricsRegistry();
  const series = { kind: "liveness", container: "c", pod: "p", namespace: "ns", uid: "1" } as const;
  createProbeMetrics(probeMetrics).observe(series, "failure", 1);
  const common = { kubeletFor: () => ({}) as Kubelet, clock: new VirtualClock() };
  const request = {
    method: "GET",
    path: "/metrics/probes",
    query: new URLSearchParams(),
    headers: {},
    signal: new AbortController().signal,
  };
  expect(await kubeletApi({ ...common, probeMetrics })(request)).toMatchObject({
    status: 200,
    headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
    body: expect.stringContaining('probe_type="Liveness",result="failed"} 1\n'),
  });
  expect(await kubeletApi(common)(request)).toMatchObject({ status: 404 });
});
