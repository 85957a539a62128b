import { createServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { selfSigned } from "../../platform/real-network.test-support.ts";
import { realNetwork } from "../../platform/real-network.ts";
import { MemoryStore } from "../../store/memory/memory-store.ts";
import {
  type Answer,
  definitionOf,
  definitions,
  isEstablished,
  version,
} from "../custom/custom.test-support.ts";
import { openServer, send, type TestRequest, wallClock } from "../in-process.test-support.ts";
import type { ApiServer } from "../server.ts";

/** Widgets of v1 have an address, those of v2 its parts. */
interface Widget {
  apiVersion: string;
  metadata: Record<string, unknown>;
  address?: string;
  host?: string;
  port?: string;
  size?: unknown;
}

const tls = selfSigned();
let server: ApiServer;
let hook: Server;
let calls: { version: string; names: unknown[] }[];
/** What is wrong with the webhook; undefined: nothing. */
let fault: ((review: { response: Record<string, unknown> }) => void) | undefined;

beforeEach(async () => {
  calls = [];
  fault = undefined;
  server = await openServer(wallClock, new MemoryStore(wallClock), { network: realNetwork });
  hook = createServer(tls, (request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => response.end(converted(body)));
  });
  await new Promise<void>((resolve) => hook.listen(0, "127.0.0.1", resolve));
});
afterEach(() => {
  server.close();
  hook.close();
});

function converted(body: string): string {
  // Numbers stay as they are written.
  const { request, ...review } = JSON.parse(body.replace(/:(\d{16,})/g, ':"#$1"'));
  const { uid, desiredAPIVersion, objects } = request;
  calls.push({ version: desiredAPIVersion, names: objects.map((o: Widget) => o.metadata.name) });
  const convertedObjects = objects.map((object: Widget) => inVersion(object, desiredAPIVersion));
  const response = { uid, result: { status: "Success" }, convertedObjects };
  fault?.({ response });
  return JSON.stringify({ ...review, response }).replace(/"#(\d+)"/g, "$1");
}

function inVersion({ address, host, port, ...rest }: Widget, apiVersion: string): Widget {
  if (apiVersion.endsWith("/v1"))
    return { ...rest, apiVersion, ...(host !== undefined && { address: `${host}:${port}` }) };
  const [first, second] = address?.split(":") ?? [];
  return { ...rest, apiVersion, ...(first && { host: first }), ...(second && { port: second }) };
}

const ask = async (request: TestRequest): Promise<Answer> => {
  const { status, headers, text } = await send(server, request);
  return { status, headers, body: /^\{.*\}\s*$/.test(text) ? JSON.parse(text) : text };
};
const schema = (...names: string[]) => ({
  openAPIV3Schema: {
    type: "object",
    properties: {
      ...Object.fromEntries(names.map((name) => [name, { type: "string" }])),
      size: { type: "integer", format: "int64" },
    },
  },
});
const versions = (storage: "v1" | "v2") => [
  version({ name: "v1", schema: schema("address"), storage: storage === "v1" }),
  version({
    name: "v2",
    schema: schema("host", "port"),
    storage: storage === "v2",
    selectableFields: [{ jsonPath: ".host" }],
  }),
];

async function define(reviewVersions = ["v1"]): Promise<void> {
  const { port } = hook.address() as AddressInfo;
  const clientConfig = { url: `https://127.0.0.1:${port}/convert`, caBundle: btoa(tls.cert) };
  const body = definitionOf({
    group: "w.io",
    names: { plural: "widgets", kind: "Widget" },
    versions: versions("v1"),
    conversion: {
      strategy: "Webhook",
      webhook: { conversionReviewVersions: reviewVersions, clientConfig },
    },
  });
  expect((await ask({ method: "POST", path: definitions, body })).status).toBe(201);
  await expect.poll(async () => isEstablished(await ask({ path: definition }))).toBe(true);
}
const definition = `${definitions}/widgets.w.io`;
const path = (v: string, rest = "") => `/apis/w.io/${v}/namespaces/default/widgets${rest}`;
const create = (v: string, name: string, more: object) =>
  ask({
    method: "POST",
    path: path(v),
    body: { apiVersion: `w.io/${v}`, kind: "Widget", metadata: { name }, ...more },
  });
const failing = (): void => {
  fault = ({ response }) => {
    response.result = { status: "Failure", message: "not today" };
  };
};
const store = async (storage: "v1" | "v2") => {
  const { body } = await ask({ path: definition });
  body.spec.versions = versions(storage);
  return ask({ method: "PUT", path: definition, body });
};

test("objects are read, written and removed at versions that are not stored", async () => {
  await define();
  await create("v1", "a", { address: "h:1" });
  expect(calls).toEqual([]);
  expect((await ask({ path: path("v2", "/a") })).body).toMatchObject({ host: "h", port: "1" });
  expect((await create("v2", "b", { host: "x", port: "2" })).body).toMatchObject({ host: "x" });
  expect((await ask({ path: path("v1", "/b") })).body).toMatchObject({ address: "x:2" });
  const type = { "content-type": "application/merge-patch+json" };
  const patch = { method: "PATCH", path: path("v2", "/a"), headers: type, body: { port: "7" } };
  expect((await ask(patch)).body).toMatchObject({ host: "h", port: "7" });
  expect((await ask({ path: path("v1", "/a") })).body).toMatchObject({ address: "h:7" });
  expect((await ask({ method: "DELETE", path: path("v2", "/a") })).status).toBe(200);
  expect((await ask({ path: path("v1") })).body.items).toHaveLength(1);
});

test("lists convert objects together, and each of them once", async () => {
  await define(["v2", "v1beta1"]);
  for (const name of ["a", "b", "c"]) await create("v1", name, { address: `${name}:1` });
  for (let i = 0; i < 2; i++) {
    const { body } = await ask({ path: path("v2") });
    expect(body.items.map(({ host }: Widget) => host)).toEqual(["a", "b", "c"]);
  }
  expect(calls).toEqual([{ version: "w.io/v2", names: ["a", "b", "c"] }]);
  const selected = await ask({ path: path("v2", "?fieldSelector=host%3Db") });
  expect(selected.body.items.map(({ host }: Widget) => host)).toEqual(["b"]);
});

test("a list has objects of several stored versions, and the definition names them", async () => {
  await define();
  await create("v1", "a", { address: "a:1" });
  const changed = await store("v2");
  expect(changed.body.status.storedVersions).toEqual(["v1", "v2"]);
  await create("v1", "b", { address: "b:1" });
  expect((await ask({ path: path("v1") })).body.items).toMatchObject([
    { address: "a:1" },
    { address: "b:1" },
  ]);
  expect((await ask({ path: path("v2") })).body.items).toMatchObject([
    { host: "a" },
    { host: "b" },
  ]);
});

test("a watch has changes in its version, and objects as they were deleted", async () => {
  await define();
  const { body: first } = await create("v1", "a", { address: "a:1" });
  await create("v1", "b", { address: "b:1" });
  await ask({ method: "DELETE", path: path("v1", "/a") });
  const from = Number(first.metadata.resourceVersion) - 1;
  const watch = `?watch=1&timeoutSeconds=1&resourceVersion=${from}`;
  const changes = await events(path("v2", watch));
  expect(changes.map(({ type, object }) => [type, object.host])).toEqual([
    ["ADDED", "a"],
    ["ADDED", "b"],
    ["DELETED", "a"],
  ]);
  const initial = await events(path("v2", "?watch=1&timeoutSeconds=1&fieldSelector=host%3Db"));
  expect(initial).toMatchObject([{ type: "ADDED", object: { host: "b" } }]);
});

/** The events of a watch until it ends by itself. */
async function events(of: string): Promise<{ type: string; object: Widget }[]> {
  const { text } = await send(server, { path: of });
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

test("a conversion that fails is an error in upstream's words, and lists come again later", async () => {
  await define();
  await create("v1", "a", { address: "a:1" });
  failing();
  const message = "conversion webhook for w.io/v1, Kind=Widget failed: not today";
  const { status, body } = await ask({ path: path("v2", "/a") });
  expect([status, body.message, body.reason]).toEqual([500, message, undefined]);
  for (const query of ["", "?resourceVersion=0", "?watch=1"]) {
    const { status, headers, body } = await ask({ path: path("v2", query) });
    expect([status, headers["retry-after"], body.message]).toEqual([
      429,
      "1",
      `storage is (re)initializing: failed to list w.io/v2, Kind=Widget: ${message}`,
    ]);
  }
  expect((await ask({ path: path("v2", "?limit=1") })).body.message).toBe(message);
  const written = await create("v2", "b", { host: "b" });
  expect([written.status, written.body.message]).toEqual([500, message.replace("/v1", "/v2")]);
  expect((await ask({ path: path("v1") })).body.items).toHaveLength(1);
  fault = undefined;
  expect((await ask({ path: path("v2") })).body.items).toHaveLength(1);
});

test("a dry run converts as a write does, and fails as it would", async () => {
  await define();
  const dryRun = (name: string) =>
    ask({
      method: "POST",
      path: path("v2", "?dryRun=All"),
      body: { apiVersion: "w.io/v2", kind: "Widget", metadata: { name }, host: "h", port: "1" },
    });
  expect(await dryRun("a")).toMatchObject({ status: 201, body: { host: "h", port: "1" } });
  expect(calls.map(({ version }) => version)).toContain("w.io/v1");
  failing();
  expect((await dryRun("b")).status).toBe(500);
});

test("managers own fields in the versions that they write, and conflicts name them there", async () => {
  await define();
  const apply = (v: string, manager: string, more: object) =>
    ask({
      method: "PATCH",
      path: path(v, `/a?fieldManager=${manager}`),
      headers: { "content-type": "application/apply-patch+yaml" },
      body: { apiVersion: `w.io/${v}`, kind: "Widget", metadata: { name: "a" }, ...more },
    });
  expect((await apply("v1", "one", { address: "a:1" })).status).toBe(201);
  const { body } = await apply("v2", "two", { host: "b" });
  expect(body.message).toBe('Apply failed with 1 conflict: conflict with "one": .address');
  expect((await apply("v2", "two", { host: "a" })).body.host).toBe("a");
});

test("numbers beyond 2^53 pass through a webhook", async () => {
  await define();
  const body =
    '{"apiVersion":"w.io/v2","kind":"Widget","metadata":{"name":"a"},"size":9007199254740993}';
  expect((await ask({ method: "POST", path: path("v2"), body })).body).toMatchObject({
    kind: "Widget",
  });
  const { text } = await send(server, { path: path("v1", "/a") });
  expect(text).toContain('"size":9007199254740993');
});

test("a definition is deleted although its webhook fails, if all objects are in the stored version", async () => {
  await define();
  await create("v1", "a", { address: "a:1" });
  failing();
  await ask({ method: "DELETE", path: definition });
  await expect.poll(async () => (await ask({ path: definition })).status).toBe(404);
});

test("calls are counted by definition, versions and outcome", async () => {
  await define();
  await create("v1", "a", { address: "a:1" });
  await ask({ path: path("v2", "/a") });
  failing();
  await ask({ path: path("v2", "/a") });
  const { body } = await ask({ path: "/metrics" });
  const lines = String(body)
    .split("\n")
    .filter((line) => /conversion_webhook\w*_(total|count)/.test(line));
  expect(lines.filter((line) => !line.startsWith("#"))).toEqual([
    'apiserver_conversion_webhook_duration_seconds_count{failure_type="",result="success"} 1',
    'apiserver_conversion_webhook_duration_seconds_count{failure_type="conversion_webhook_malformed_response_failure",result="failure"} 1',
    'apiserver_conversion_webhook_request_total{failure_type="",result="success"} 1',
    'apiserver_conversion_webhook_request_total{failure_type="conversion_webhook_malformed_response_failure",result="failure"} 1',
    'apiserver_crd_conversion_webhook_duration_seconds_count{crd_name="widgets.w.io",from_version="v1",succeeded="false",to_version="v2"} 1',
    'apiserver_crd_conversion_webhook_duration_seconds_count{crd_name="widgets.w.io",from_version="v1",succeeded="true",to_version="v2"} 1',
  ]);
});
