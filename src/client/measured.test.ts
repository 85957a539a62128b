import { expect, test } from "vitest";
import { MetricsRegistry } from "../base/metrics-registry.ts";
import { measured } from "./measured.ts";
import { type Transport, TransportError, type TransportRequest } from "./transport.ts";

test("measured: counts responses and failures", async () => {
  const metrics = new MetricsRegistry();
  const server: Transport = async ({ path }) => {
    if (path === "/broken") throw new TransportError("no response");
    return { status: path === "/a" ? 200 : 404, headers: {} } as never;
  };
  let now = 0;
  const ticks = (): number => (now += 50);
  const transport = measured(server, { metrics, host: "h:1", ticks });
  const get = (path: string): TransportRequest => ({ method: "GET", path, query: "", headers: {} });
  expect((await transport(get("/a"))).status).toBe(200);
  await transport(get("/b"));
  await expect(transport(get("/broken"))).rejects.toThrow("no response");
  const text = metrics.text();
  for (const code of ["200", "404", "<error>"])
    expect(text).toContain(
      `rest_client_requests_total{code="${code}",host="h:1",method="GET"} 1\n`,
    );
  expect(text).toContain(
    'rest_client_request_duration_seconds_bucket{host="h:1",verb="GET",le="0.1"} 3\n',
  );
});
