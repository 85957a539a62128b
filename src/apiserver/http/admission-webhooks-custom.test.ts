import { afterEach, beforeEach, expect, test } from "vitest";
import {
  definitionOf,
  definitions,
  isEstablished,
  version,
} from "../custom/custom.test-support.ts";
import {
  type Answer,
  openWebhookWorld,
  patching,
  type Reviewed,
  type WebhookWorld,
  writes,
} from "./admission-webhooks.test-support.ts";

let world: WebhookWorld;
beforeEach(async () => {
  world = await openWebhookWorld();
});
afterEach(() => world.close());

const schema = (...names: string[]) => ({
  openAPIV3Schema: {
    type: "object",
    properties: {
      data: {
        type: "object",
        properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
      },
    },
  },
});
const versions = [
  version({ name: "v1", schema: schema("a", "b") }),
  version({ name: "v2", schema: schema("a", "c"), storage: false }),
];
const path = (v: string, rest = "") => `/apis/w.io/${v}/namespaces/default/widgets${rest}`;
const create = (v: string, name: string, data: object) =>
  world.ask({
    method: "POST",
    path: path(v),
    body: { apiVersion: `w.io/${v}`, kind: "Widget", metadata: { name }, data },
  });
const rules = (v: string) => [writes("widgets", { apiGroups: ["w.io"], apiVersions: [v] })];

async function define(conversion?: object): Promise<void> {
  const names = { plural: "widgets", kind: "Widget" };
  const given = { group: "w.io", names, versions, ...(conversion && { conversion }) };
  const { status } = await world.ask({
    method: "POST",
    path: definitions,
    body: definitionOf(given),
  });
  expect(status).toBe(201);
  const served = (answer: Answer) => isEstablished(answer);
  await expect
    .poll(async () => served(await world.ask({ path: `${definitions}/widgets.w.io` })))
    .toBe(true);
}

test("custom objects are changed, and what their schema does not know is removed", async () => {
  await define();
  world.webhooks.set("one", () =>
    patching(
      { op: "add", path: "/data/b", value: "1" },
      { op: "add", path: "/data/unknown", value: "1" },
    ),
  );
  await world.configure("Mutating", "a", [{ name: "one", rules: rules("*") }]);
  expect((await create("v1", "w", { a: "0" })).body.data).toEqual({ a: "0", b: "1" });
});

test("custom objects come in the version that rules name, without a webhook for conversion", async () => {
  await define();
  const seen: Reviewed[] = [];
  world.webhooks.set("see", (request) => {
    seen.push(request);
    return { allowed: false, status: { message: "no" } };
  });
  await world.configure("Validating", "a", [{ name: "see", rules: rules("v2") }]);
  expect((await create("v1", "w", { a: "0", b: "1" })).body.message).toBe(
    'admission webhook "see.w.io" denied the request: no',
  );
  expect(seen).toMatchObject([
    {
      kind: { group: "w.io", version: "v2", kind: "Widget" },
      requestKind: { group: "w.io", version: "v1", kind: "Widget" },
      object: { apiVersion: "w.io/v2", data: { a: "0" } },
    },
  ]);
  expect(seen[0]?.object.data).not.toHaveProperty("b");
});

test("a webhook converts for webhooks, there and back; its failure is an internal error", async () => {
  const conversions: string[] = [];
  let fails = false;
  world.webhooks.set("convert", (request, { apiVersion }) => {
    const { uid, desiredAPIVersion, objects } = request as never as {
      uid: string;
      desiredAPIVersion: string;
      objects: { data: Record<string, string> }[];
    };
    conversions.push(desiredAPIVersion);
    const convertedObjects = objects.map(({ data, ...object }) => ({
      ...object,
      apiVersion: desiredAPIVersion,
      data: { ...(data.b && { c: data.b }), ...(data.c && { b: data.c }) },
    }));
    const result = fails ? { status: "Failure", message: "not today" } : { status: "Success" };
    return JSON.stringify({
      apiVersion,
      kind: "ConversionReview",
      response: { uid, result, convertedObjects },
    });
  });
  const clientConfig = { url: `https://127.0.0.1:${world.port}/convert`, caBundle: world.ca };
  const webhook = { conversionReviewVersions: ["v1"], clientConfig };
  await define({ strategy: "Webhook", webhook });
  const seen: Reviewed[] = [];
  world.webhooks.set("add", (request) => {
    seen.push(request);
    const value = `${request.object.data.c}!`;
    return patching({ op: "replace", path: "/data/c", value });
  });
  await world.configure("Mutating", "a", [{ name: "add", rules: rules("v2") }]);
  expect((await create("v1", "w", { b: "1" })).body).toMatchObject({
    apiVersion: "w.io/v1",
    data: { b: "1!" },
  });
  expect(seen).toMatchObject([{ object: { apiVersion: "w.io/v2", data: { c: "1" } } }]);
  expect(conversions).toEqual(["w.io/v2", "w.io/v1"]);
  const headers = { "content-type": "application/merge-patch+json" };
  const update = { method: "PATCH", path: path("v1", "/w"), headers, body: { data: { b: "2" } } };
  expect((await world.ask(update)).body.data).toEqual({ b: "2!" });
  expect(seen[1]).toMatchObject({
    object: { data: { c: "2" }, metadata: { resourceVersion: expect.any(String) } },
    oldObject: { apiVersion: "w.io/v2", data: { c: "1!" } },
  });
  fails = true;
  expect((await create("v1", "x", { b: "1" })).body.message).toBe(
    "Internal error occurred: Internal error occurred: conversion webhook for w.io/v1, Kind=Widget failed: not today",
  );
});

test("a definition can be denied, and attaching to a pod", async () => {
  world.webhooks.set("deny", ({ operation }) => ({
    allowed: false,
    status: { message: `no ${operation}` },
  }));
  const crd = writes("customresourcedefinitions", { apiGroups: ["apiextensions.k8s.io"] });
  const attach = writes("pods/attach", { operations: ["CONNECT"] });
  await world.configure("Validating", "a", [{ name: "deny", rules: [crd, attach] }]);
  const body = definitionOf({ group: "w.io", names: { plural: "widgets", kind: "Widget" } });
  expect((await world.ask({ method: "POST", path: definitions, body })).body.message).toMatch(
    /no CREATE$/,
  );
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p" },
    spec: { containers: [{ name: "c", image: "i" }] },
  };
  const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default" } };
  const at = "/api/v1/namespaces/default";
  await world.ask({ method: "POST", path: `${at}/serviceaccounts`, body: account });
  expect((await world.ask({ method: "POST", path: `${at}/pods`, body: pod })).status).toBe(201);
  expect(await world.ask({ path: `${at}/pods/p/attach?container=c&stdin=true` })).toMatchObject({
    status: 400,
    body: { message: 'admission webhook "deny.w.io" denied the request: no CONNECT' },
  });
});
