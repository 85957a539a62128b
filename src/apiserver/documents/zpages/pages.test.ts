import { expect, test } from "vitest";
import { VirtualClock } from "../../../base/virtual-clock.ts";
import { yamlToJson } from "../../../schema/yaml/yaml.ts";
import { openServer, send, type TestRequest } from "../../in-process.test-support.ts";

const started = Date.parse("2026-03-04T05:06:07Z");
const clock = new VirtualClock(started);
const flags = { v: "2", "secure-port": "6443", "anonymous-auth": "true" };
const server = await openServer(clock, undefined, { flags });
await clock.advance(3_725_900);

const get = (path: string, accept: string | null, more: Partial<TestRequest> = {}) =>
  send(server, { path, ...more, headers: { accept, ...more.headers } });

const as = (kind: string, version: string) => `;g=config.k8s.io;v=${version};as=${kind}`;
const pages = [
  ["/flagz", "Flagz"],
  ["/statusz", "Statusz"],
] as const;

const acceptable: [
  accept: (kind: string) => string | null,
  contentType: (kind: string) => string,
][] = [
  [() => null, () => "text/plain; charset=utf-8"],
  [() => " ", () => "text/plain; charset=utf-8"],
  [() => "text/plain", () => "text/plain; charset=utf-8"],
  [() => "text/*", () => "text/plain; charset=utf-8"],
  [() => "*/*", () => "text/plain; charset=utf-8"],
  [(kind) => `application/json${as(kind, "v2")},*/*`, () => "text/plain; charset=utf-8"],
  [(kind) => `application/json;as=${kind};v=v1beta1;g=config.k8s.io`, jsonOf],
  [(kind) => `*/*${as(kind, "v1beta1")}`, jsonOf],
  [(kind) => `application/xml,${jsonOf(kind)},text/plain`, jsonOf],
  [
    (kind) => `application/yaml${as(kind, "v1beta1")}`,
    (kind) => `application/yaml${as(kind, "v1beta1")}`,
  ],
];
function jsonOf(kind: string): string {
  return `application/json${as(kind, "v1beta1")}`;
}

test.each(acceptable)("pages: a client that accepts %s gets %s", async (accept, contentType) => {
  for (const [path, kind] of pages) {
    const { status, headers } = await get(path, accept(kind));
    expect([status, headers["content-type"], headers.warning]).toEqual([
      200,
      contentType(kind),
      undefined,
    ]);
  }
});

test.each([
  "application/json",
  "application/json;v=v1beta1;g=config.k8s.io",
  "application/json;v=v1beta1;g=config.k8s.io;as=Podz",
  "application/json;v=v1;g=config.k8s.io;as=Flagz,application/json;v=v1;g=config.k8s.io;as=Statusz",
  "application/vnd.kubernetes.protobuf",
  "application/xml",
])("pages: %s is not acceptable", async (accept) => {
  for (const [path] of pages) {
    const { status, text } = await get(path, accept);
    expect([status, JSON.parse(text)]).toEqual([
      406,
      {
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        message:
          "only the following media types are accepted: application/json, application/yaml, text/plain",
        reason: "NotAcceptable",
        code: 406,
      },
    ]);
  }
});

test("pages: the refusal is written as the client accepts it", async () => {
  expect((await get("/flagz", "application/yaml")).headers["content-type"]).toBe(
    "application/yaml",
  );
  // Laid out, where nothing fits.
  expect((await get("/flagz", "application/xml")).text).toContain('{\n  "kind": "Status",\n');
});

test("pages: the older version is served with a warning", async () => {
  for (const [path, kind] of pages) {
    const older = await get(path, `application/json${as(kind, "v1alpha1")},${jsonOf(kind)}`);
    expect(JSON.parse(older.text)).toMatchObject({ kind, apiVersion: "config.k8s.io/v1alpha1" });
    expect(older.headers.warning).toEqual([
      `299 - "This version of the ${path.slice(1)} endpoint is deprecated. Please use a newer version."`,
    ]);
  }
});

test("/flagz: shows the flags in order", async () => {
  const { text } = await get("/flagz", "text/plain");
  expect(text.replaceAll(/(?<=^(anonymous-auth|secure-port|v))(: |:|=| )/gm, "=")).toBe(
    "\napiserver flagz\n" +
      "Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.\n" +
      "anonymous-auth=true\nsecure-port=6443\nv=2\n",
  );
  expect(JSON.parse((await get("/flagz", jsonOf("Flagz"))).text)).toEqual({
    kind: "Flagz",
    apiVersion: "config.k8s.io/v1beta1",
    metadata: { name: "apiserver" },
    flags,
  });
});

test("/statusz: shows version, start time and other pages", async () => {
  const { text } = await get("/statusz", null);
  expect(text.replaceAll(/(?<=^(Started|Up|\w+ version|Paths))(: |:|=| ) /gm, ": ")).toBe(
    "\napiserver statusz\n" +
      "Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.\n" +
      "\nStarted: Wed Mar  4 05:06:07 UTC 2026\nUp: 1 hr 02 min 05 sec\nGo version: none\n" +
      "Binary version: 1.36.0\nEmulation version: 1.36\n" +
      "Paths: /flagz /healthz /livez /metrics /readyz /statusz /version\n",
  );
  const status = {
    kind: "Statusz",
    apiVersion: "config.k8s.io/v1beta1",
    metadata: { name: "apiserver" },
    startTime: "2026-03-04T05:06:07Z",
    uptimeSeconds: 3725,
    goVersion: "none",
    binaryVersion: "1.36.0",
    emulationVersion: "1.36",
    paths: ["/flagz", "/healthz", "/livez", "/metrics", "/readyz", "/statusz", "/version"],
  };
  expect(JSON.parse((await get("/statusz", jsonOf("Statusz"))).text)).toEqual(status);
  const yaml = await get("/statusz", `application/yaml${as("Statusz", "v1beta1")}`);
  expect(yamlToJson(yaml.text)).toEqual(status);
});

test("pages: objects are indented for clients that ask for it", async () => {
  const { text } = await get("/flagz", jsonOf("Flagz"), { headers: { "user-agent": "curl/8" } });
  expect(text).toMatch(/^\{\n {2}"kind": "Flagz",\n/);
});

test("pages: they are listed, and only monitoring users may read them", async () => {
  const { paths } = JSON.parse((await get("/", null)).text) as { paths: string[] };
  expect(paths).toContain("/flagz");
  expect(paths).toContain("/statusz");
  const monitor = { commonName: "prometheus", organizations: ["system:monitoring"] };
  for (const [path] of pages) {
    expect((await get(path, null, { peer: monitor })).status).toBe(200);
    expect((await get(path, null, { peer: { commonName: "joe", organizations: [] } })).status).toBe(
      403,
    );
    expect((await get(`${path}/`, null)).status).toBe(404);
  }
});

test("pages: there is no page of flags where it is not known how the server was started", async () => {
  const other = await openServer(clock);
  expect((await send(other, { path: "/flagz" })).status).toBe(404);
  const { text } = await send(other, { path: "/" });
  expect((JSON.parse(text) as { paths: string[] }).paths).not.toContain("/flagz");
  other.close();
});

test("pages: requests for them are counted by the form of the response", async () => {
  const metrics = await openServer(clock, undefined, { flags });
  for (const accept of ["text/plain", `application/json${as("Flagz", "v1alpha1")}`])
    await send(metrics, { path: "/flagz", headers: { accept } });
  const { text } = await send(metrics, { path: "/metrics" });
  const rest = 'resource="flagz",scope="",subresource="",verb="GET"';
  const begin = 'apiserver_request_total{code="200",component="apiserver",dry_run=""';
  const lines = text.split("\n");
  expect(lines).toContain(`${begin},group="",${rest},version=""} 1`);
  expect(lines).toContain(`${begin},group="config.k8s.io",${rest},version="v1alpha1"} 1`);
  expect(lines).toContain(
    'apiserver_requested_deprecated_apis{group="config.k8s.io",removed_release="",resource="flagz",subresource="",version="v1alpha1"} 1',
  );
  metrics.close();
});
