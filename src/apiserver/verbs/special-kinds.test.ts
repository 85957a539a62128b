import { afterAll, beforeAll, expect, test } from "vitest";
import { openServer, send, type TestRequest, wallClock } from "../in-process.test-support.ts";
import type { ApiServer } from "../server.ts";

let server: ApiServer;
beforeAll(async () => {
  server = await openServer(wallClock);
  await ask({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: "n" } } });
});
afterAll(() => server.close());

async function ask(request: TestRequest) {
  const { status, headers, text } = await send(server, request);
  return { status, warning: headers.warning, body: JSON.parse(text) };
}

test("a deprecated kind warns in every response, except for a method that is not allowed", async () => {
  const path = "/api/v1/namespaces/n/endpoints";
  const answers = [
    await ask({ path }),
    await ask({ path: `${path}/x` }),
    await ask({ method: "POST", path, body: "[" }),
    await ask({ method: "POST", path: "/api/v1/endpoints", body: {} }),
  ];
  const text =
    '299 - "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"';
  expect(answers.map(({ status, warning }) => [status, warning])).toEqual([
    [200, [text]],
    [404, [text]],
    [400, [text]],
    [405, undefined],
  ]);
});

test("an update of the status has warnings of its own", async () => {
  const path = "/apis/networking.k8s.io/v1/namespaces/n/ingresses";
  const spec = { defaultBackend: { service: { name: "s", port: { number: 80 } } } };
  await ask({ method: "POST", path, body: { metadata: { name: "a" }, spec } });
  const change = (at: string) =>
    ask({
      method: "PATCH",
      path: at,
      headers: { "content-type": "application/merge-patch+json" },
      body: { status: { loadBalancer: { ingress: [{ ip: "2001:DB8::1" }] } } },
    });
  const [whole, status] = [await change(`${path}/a`), await change(`${path}/a/status`)];
  expect([whole.warning, status.warning]).toEqual([
    undefined,
    [expect.stringContaining("status.loadBalancer.ingress[0]: IPv6 address")],
  ]);
});

test("a limit range without a name is stored under the default name", async () => {
  const path = "/api/v1/namespaces/n/limitranges";
  const { body } = await ask({ method: "POST", path, body: { spec: { limits: [] } } });
  const found = await ask({ path: `${path}/${body.metadata.name}` });
  expect([found.status, found.body]).toEqual([200, body]);
});

test("a rejected limit range is named by the default name", async () => {
  const path = "/api/v1/namespaces/n/limitranges";
  const { body } = await ask({ method: "POST", path, body: { spec: { limits: [{ type: "a" }] } } });
  expect(body.message).toMatch(/^LimitRange "[0-9a-f-]{36}" is invalid: /);
});

test("a table row may have a cell without a column", async () => {
  const path = "/apis/networking.k8s.io/v1/ipaddresses";
  const spec = { parentRef: { resource: "services", namespace: "n", name: "s" } };
  await ask({ method: "POST", path, body: { metadata: { name: "10.0.0.9" }, spec } });
  const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
  const { body } = await ask({ path: `${path}/10.0.0.9`, headers: { accept } });
  expect([body.columnDefinitions.length, body.rows[0].cells]).toEqual([
    2,
    ["10.0.0.9", "services/n/s", expect.stringMatching(/^\d+s$/)],
  ]);
});
