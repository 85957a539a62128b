import { expect, test } from "vitest";
import { MetricsRegistry } from "../../../base/metrics-registry.ts";
import type { KubeletEvent } from "../../kubelet-events.ts";
import { createHookMetrics } from "../../pod/container/hook-metrics.ts";
import type { HookRequest } from "../../pod/container/hook-runner.ts";
import { freePort, rawServer } from "../http/raw-server.test-support.ts";
import { httpHook } from "./http-hook.ts";

function hook(action: object, { podIP = "127.0.0.1", signal = new AbortController().signal } = {}) {
  const events: KubeletEvent[] = [];
  const registry = new MetricsRegistry();
  const request = {
    handler: { httpGet: { scheme: "HTTP", path: "/stop", ...action } },
    container: { name: "c", ports: [] },
    podIP,
    signal,
    record: (event: KubeletEvent) => void events.push(event),
  };
  const running = httpHook(request as unknown as HookRequest, createHookMetrics(registry));
  return { running, events, text: () => registry.text() };
}

test("httpHook: any response will do", async () => {
  const server = await rawServer("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
  const { running, events } = hook({ port: server.port });
  await running;
  expect(events).toEqual([]);
  expect(server.requests[0]?.split("\r\n")).toEqual([
    "GET /stop HTTP/1.1",
    `Host: 127.0.0.1:${server.port}`,
    "User-Agent: kube-lifecycle/1.36",
    "Accept: */*",
    "Accept-Encoding: gzip",
  ]);
  await expect.poll(() => server.open()).toBe(0);
});

test("httpHook: a server without TLS gets the request again, without credentials", async () => {
  const httpHeaders = [{ name: "authorization", value: "secret" }];
  const plain = await rawServer("HTTP/1.1 200 OK\r\n\r\n", { answersTls: true });
  const { running, events, text } = hook({ port: plain.port, scheme: "HTTPS", httpHeaders });
  await running;
  expect(events).toEqual([
    {
      type: "Warning",
      reason: "LifecycleHTTPFallback",
      message: `request to HTTPS lifecycle hook 127.0.0.1:${plain.port} got HTTP response, retry with HTTP succeeded`,
    },
  ]);
  expect(plain.requests.join()).not.toContain("secret");
  expect(text()).toContain("kubelet_lifecycle_handler_http_fallbacks_total 1\n");
  await expect.poll(() => plain.open()).toBe(0);
});

test("httpHook: fails without a response, or without an address", async () => {
  const port = await freePort();
  await expect(hook({ port }).running).rejects.toThrow(
    `Get "http://127.0.0.1:${port}/stop": dial tcp 127.0.0.1:${port}: connect: connection refused`,
  );
  await expect(hook({ port }, { podIP: "" }).running).rejects.toThrow(
    "failed to find networking container",
  );
});

test("httpHook: ends when its time is over", async () => {
  const stop = new AbortController();
  const server = await rawServer(() => stop.abort());
  const { running } = hook({ port: server.port }, { signal: stop.signal });
  await expect(running).rejects.toThrow("context canceled");
  await expect.poll(() => server.open()).toBe(0);
});
