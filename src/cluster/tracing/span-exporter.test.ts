import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Span } from "../../apiserver/tracing/request-span.ts";
import { noLog } from "../../base/log.ts";
import { unaryHandler } from "../../platform/grpc/grpc-server.ts";
import { serveGrpcSocket } from "../../platform/grpc/serve-grpc-socket.ts";
import { realClock } from "../../platform/real-clock.ts";
import { exportSpans } from "./otlp-messages.ts";
import { SpanExporter } from "./span-exporter.ts";

const span: Span = {
  traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
  spanId: "00f067aa0ba902b7",
  parentSpanId: "1112131415161718",
  link: {
    traceId: "4bf92f3577b34da6a3ce929d0e0e4737",
    spanId: "00f067aa0ba902b8",
    isSampled: true,
  },
  name: "GET /version",
  startMs: 1_763_000_000_000.25,
  endMs: 1_763_000_000_001,
  attributes: { "http.method": "GET", "http.status_code": 500 },
  isError: true,
};
const hex = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString("hex");

type Taken = ReturnType<typeof exportSpans.request.decode>;

async function collecting() {
  const path = join(await mkdtemp(join(tmpdir(), "collector-")), "otlp.sock");
  const taken: Taken[] = [];
  const served = await serveGrpcSocket(path, [
    unaryHandler(exportSpans, async (request) => {
      taken.push(request);
      return {};
    }),
  ]);
  onTestFinished(() => served.close());
  const service = { name: "apiserver", instance: "a" };
  const exporter = new SpanExporter({
    ...{ address: `unix://${path}`, service, clock: realClock, log: noLog },
  });
  return { exporter, taken };
}

test("SpanExporter: sends what waits when it closes, as OTLP", async () => {
  const { exporter, taken } = await collecting();
  exporter.export(span);
  await exporter.close();
  const [resource] = taken[0]?.resource_spans ?? [];
  expect(
    resource?.resource?.attributes.map(({ key, value }) => [key, value?.string_value]),
  ).toEqual([
    ["service.name", "apiserver"],
    ["service.instance.id", "a"],
  ]);
  const [sent] = resource?.scope_spans[0]?.spans ?? [];
  expect([sent?.trace_id, sent?.span_id, sent?.parent_span_id].map(hex)).toEqual([
    span.traceId,
    span.spanId,
    span.parentSpanId,
  ]);
  expect(sent).toMatchObject({
    name: "GET /version",
    kind: 2,
    start_time_unix_nano: 1_763_000_000_000_250_000n,
    end_time_unix_nano: 1_763_000_000_001_000_000n,
    attributes: [
      { key: "http.method", value: { string_value: "GET" } },
      { key: "http.status_code", value: { int_value: 500 } },
    ],
    status: { code: 2 },
  });
  expect(hex(sent?.links[0]?.span_id)).toBe("00f067aa0ba902b8");
});

test("SpanExporter: sends large batches at once, and drops what is too much", async () => {
  const { exporter, taken } = await collecting();
  for (let i = 0; i < 4000; i++) exporter.export(span);
  await exporter.close();
  const counts = taken.map(({ resource_spans: [one] }) => one?.scope_spans[0]?.spans.length ?? 0);
  const all = counts.reduce((sum, count) => sum + count, 0);
  expect([counts[0], Math.max(...counts)]).toEqual([512, 512]);
  expect(all).toBeLessThan(4000);
  expect(all).toBeGreaterThanOrEqual(2048);
});

test("SpanExporter: spans have kinds; by default they are of requests that were served", async () => {
  const { exporter, taken } = await collecting();
  for (const kind of [undefined, "client", "internal"] as const) exporter.export({ ...span, kind });
  await exporter.close();
  const sent = taken[0]?.resource_spans[0]?.scope_spans[0]?.spans ?? [];
  expect(sent.map(({ kind }) => kind)).toEqual([2, 3, 1]);
});
