import { expect, onTestFinished, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { openServer, send } from "../in-process.test-support.ts";
import type { RequestSpan } from "./request-span.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const spanId = "00f067aa0ba902b7";

async function spansOf(
  ratePerMillion: number,
  ...requests: Parameters<typeof send>[1][]
): Promise<RequestSpan[]> {
  const spans: RequestSpan[] = [];
  const tracing = { ratePerMillion, export: (span: RequestSpan) => void spans.push(span) };
  const server = await openServer(new VirtualClock(1000), undefined, { tracing });
  onTestFinished(() => server.close());
  for (const request of requests) await send(server, request);
  return spans;
}

test("requestSpan: has the name of the path without what varies, and no credential", async () => {
  const [first, second] = await spansOf(
    1_000_000,
    { path: "/api/v1/namespaces/default/pods/a?token=abc" },
    { path: "/version", headers: { "user-agent": "test" } },
  );
  expect(first).toMatchObject({
    traceId: expect.stringMatching(/^[\da-f]{32}$/),
    spanId: expect.stringMatching(/^[\da-f]{16}$/),
    parentSpanId: undefined,
    name: "GET /api/v1/namespaces/{:namespace}/pods/{:name}",
    startMs: 1000,
    endMs: 1000,
    attributes: {
      "http.method": "GET",
      "http.target": "/api/v1/namespaces/default/pods/a?token=REDACTED",
      "http.status_code": 404,
    },
    isError: false,
  });
  expect([second?.name, second?.attributes["user_agent.original"]]).toEqual(["GET", "test"]);
});

test("requestSpan: administrators choose what is sampled, and are the parent", async () => {
  const path = "/version";
  const at = (flags: string) => ({
    path,
    headers: { traceparent: `00-${traceId}-${spanId}-${flags}` },
  });
  const none = await spansOf(0, { path }, at("00"), at("01"));
  expect(none.map(({ traceId: trace, parentSpanId }) => [trace, parentSpanId])).toEqual([
    [traceId, spanId],
  ]);
  const all = await spansOf(1_000_000, at("00"), at("01"));
  expect(all.map(({ parentSpanId }) => parentSpanId)).toEqual([spanId]);
});

test("requestSpan: others do not, but are linked", async () => {
  const headers = { "impersonate-user": "a", traceparent: `00-${traceId}-${spanId}-01` };
  expect(await spansOf(0, { path: "/version", headers })).toEqual([]);
  const [span] = await spansOf(1_000_000, { path: "/version", headers });
  expect(span?.traceId).not.toBe(traceId);
  expect([span?.parentSpanId, span?.link]).toEqual([
    undefined,
    { traceId, spanId, isSampled: true },
  ]);
});
