import { expect, test } from "vitest";
import type { ApiRequest } from "../../apiserver/request/request.ts";
import type { Span } from "../../apiserver/tracing/request-span.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { nodeTracer } from "./node-tracer.ts";

const pod = { metadata: { uid: "u", namespace: "n", name: "p" } } as never;

function opened(ratePerMillion: number) {
  const spans: Span[] = [];
  const clock = new VirtualClock(1000);
  const exportSpan = (span: Span): void => void spans.push(span);
  const tracer = nodeTracer({ ratePerMillion, clock, exportSpan });
  const service = {
    async runPodSandbox(name: string) {
      await clock.advance(5);
      if (name === "bad") throw new Error("bad");
      return `sandbox ${name}`;
    },
    version: async () => "v",
  };
  const runtime = tracer.calls(service, "runtime.v1.RuntimeService", ["runPodSandbox"]);
  return { spans, tracer, runtime };
}

test("nodeTracer: calls of the runtime are parts of the step of a pod", async () => {
  const { spans, tracer, runtime } = opened(1_000_000);
  await tracer.step({ pod, stage: "create" }, async () => {
    expect(await runtime.runPodSandbox("a")).toBe("sandbox a");
    await runtime.version();
  });
  const [call, step] = spans;
  expect(spans).toHaveLength(2);
  expect(call).toMatchObject({
    kind: "client",
    name: "runtime.v1.RuntimeService/RunPodSandbox",
    traceId: step?.traceId,
    parentSpanId: step?.spanId,
    ...{ startMs: 1000, endMs: 1005, isError: false },
  });
  expect(step).toMatchObject({
    kind: "internal",
    name: "syncPod",
    parentSpanId: undefined,
    attributes: { "k8s.pod.uid": "u", "k8s.pod": "n/p", "k8s.pod.update_type": "create" },
  });
});

test("nodeTracer: errors are seen in spans, and passed on", async () => {
  const { spans, tracer, runtime } = opened(1_000_000);
  const step = tracer.step({ pod, stage: "terminating" }, async () => {
    await runtime.runPodSandbox("bad");
  });
  await expect(step).rejects.toThrow("bad");
  expect(spans.map(({ name, isError }) => [name, isError])).toEqual([
    ["runtime.v1.RuntimeService/RunPodSandbox", true],
    ["syncTerminatingPod", true],
  ]);
});

test("nodeTracer: requests are traces of their own, linked to their callers", async () => {
  const { spans, tracer } = opened(1_000_000);
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
  const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
  const handle = tracer.requests(async () => ({ status: 503, headers: {}, body: "" }));
  await handle({ method: "GET", path: "/pods", headers: { traceparent } } as unknown as ApiRequest);
  expect(spans).toMatchObject([
    { kind: "server", name: "GET /pods", link: { traceId }, isError: true },
  ]);
  expect(spans[0]?.traceId).not.toBe(traceId);
});

test("nodeTracer: without a rate nothing is exported", async () => {
  const { spans, tracer, runtime } = opened(0);
  await tracer.step({ pod, stage: "sync" }, async () => {
    await runtime.runPodSandbox("a");
  });
  expect(spans).toEqual([]);
});
