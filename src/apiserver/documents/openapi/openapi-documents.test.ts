import { expect, test } from "vitest";
import { Deployment } from "../../../api/apps/v1/deployment.ts";
import { ConfigMap } from "../../../api/core/v1/config-map.ts";
import { Namespace } from "../../../api/core/v1/namespace.ts";
import { ServiceAccount } from "../../../api/core/v1/service-account.ts";
import { WireReader } from "../../../base/protobuf-wire.ts";
import type { Schema } from "../../../schema/openapi/openapi.ts";
import type { AnyKind } from "../../objects/object.ts";
import { Resources } from "../../objects/resources.ts";
import { OpenApi, type OpenApiDocument } from "./openapi-documents.ts";

const kinds = [ConfigMap, Deployment, Namespace, ServiceAccount];
const resources = new Resources(kinds as unknown as readonly AnyKind[]);
const openApi = new OpenApi({
  resources,
  hash: (text) => `${text.length}`.padStart(10, "0"),
  version: "v1.36.0",
  hasOpenIdMetadata: true,
  now: () => 0,
});
type Json = { readonly [key: string]: Json };
const parsed = (document: OpenApiDocument | undefined): Json =>
  JSON.parse(new TextDecoder().decode(document?.body)) as Json;
const core = parsed(openApi.v3("api/v1"));
const apps = parsed(openApi.v3("apis/apps/v1"));
const swagger = parsed(openApi.v2());

test("v3: has the paths of a namespaced kind with their operations", () => {
  const configMaps = Object.entries(core.paths as Json).filter(([path]) => /configmaps/.test(path));
  const operations = configMaps.map(([path, item]) => [
    path,
    Object.values(item).flatMap(({ operationId }) => (operationId as unknown as string) ?? []),
  ]);
  expect(Object.fromEntries(operations)).toEqual({
    "/api/v1/configmaps": ["listCoreV1ConfigMapForAllNamespaces"],
    "/api/v1/namespaces/{namespace}/configmaps": [
      "deleteCoreV1CollectionNamespacedConfigMap",
      "listCoreV1NamespacedConfigMap",
      "createCoreV1NamespacedConfigMap",
    ],
    "/api/v1/namespaces/{namespace}/configmaps/{name}": [
      "deleteCoreV1NamespacedConfigMap",
      "readCoreV1NamespacedConfigMap",
      "patchCoreV1NamespacedConfigMap",
      "replaceCoreV1NamespacedConfigMap",
    ],
    "/api/v1/watch/configmaps": ["watchCoreV1ConfigMapListForAllNamespaces"],
    "/api/v1/watch/namespaces/{namespace}/configmaps": ["watchCoreV1NamespacedConfigMapList"],
    "/api/v1/watch/namespaces/{namespace}/configmaps/{name}": ["watchCoreV1NamespacedConfigMap"],
  });
});

test("v3: parameters of all operations of a path are listed once for the path", () => {
  const item = core.paths?.["/api/v1/namespaces/{namespace}/configmaps/{name}"] as Json;
  expect([names(item.parameters), names(item.patch?.parameters), item.get?.parameters]).toEqual([
    ["name", "namespace", "pretty"],
    ["dryRun", "fieldManager", "fieldValidation", "force"],
    undefined,
  ]);
});

test("v3: a patch has its media types, its kind and its responses", () => {
  const patch = core.paths?.["/api/v1/namespaces/{namespace}/configmaps/{name}"]?.patch as Json;
  expect({
    types: Object.keys(patch.requestBody?.content ?? {}),
    answers: Object.keys(patch.responses ?? {}),
    action: patch["x-kubernetes-action"],
    kind: patch["x-kubernetes-group-version-kind"],
  }).toEqual({
    types: [
      "application/json-patch+json",
      "application/merge-patch+json",
      "application/strategic-merge-patch+json",
      "application/apply-patch+yaml",
    ],
    answers: ["200", "201", "401"],
    action: "patch",
    kind: { group: "", kind: "ConfigMap", version: "v1" },
  });
});

test("v3: the scale subresource has its own kind and schema", () => {
  const path = "/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale";
  const get = apps.paths?.[path]?.get as Json;
  expect([
    get.operationId,
    get["x-kubernetes-group-version-kind"],
    apps.components?.schemas?.["io.k8s.api.autoscaling.v1.Scale"]?.[
      "x-kubernetes-group-version-kind"
    ],
  ]).toEqual([
    "readAppsV1NamespacedDeploymentScale",
    { group: "autoscaling", kind: "Scale", version: "v1" },
    [{ group: "autoscaling", kind: "Scale", version: "v1" }],
  ]);
});

test("v3: the token subresource has the schema of TokenRequest", () => {
  const path = "/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token";
  const schema = core.components?.schemas?.["io.k8s.api.authentication.v1.TokenRequest"];
  expect([core.paths?.[path]?.post?.operationId, Object.keys(schema?.properties ?? {})]).toEqual([
    "createCoreV1NamespacedServiceAccountToken",
    ["apiVersion", "kind", "metadata", "spec", "status"],
  ]);
});

test("v3: DeleteOptions belong to the document's group, too", () => {
  const schema = apps.components?.schemas?.["io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"];
  expect(schema?.["x-kubernetes-group-version-kind"]).toEqual([
    { group: "", kind: "DeleteOptions", version: "v1" },
    { group: "apps", kind: "DeleteOptions", version: "v1" },
  ]);
});

test.each([
  ["OpenAPI 3 of core", core],
  ["OpenAPI 3 of apps", apps],
  ["OpenAPI 2", swagger],
])("every reference of %s leads somewhere", (_, document) => {
  const dangling = [...references(document)].filter(
    (ref) =>
      ref
        .slice(2)
        .split("/")
        .reduce<Json | undefined>((at, key) => at?.[key], document) === undefined,
  );
  expect(dangling).toEqual([]);
});

test("v3Index: the hash of each document equals its ETag", () => {
  const { paths } = parsed(openApi.v3Index());
  const names = [
    ".well-known/openid-configuration",
    "api",
    "api/v1",
    "apis",
    "apis/apps",
    "apis/apps/v1",
    "openid/v1/jwks",
    "version",
  ];
  const expected = names.map((name) => [
    name,
    { serverRelativeURL: `/openapi/v3/${name}?hash=${openApi.v3(name)?.etag}` },
  ]);
  expect(paths).toEqual(Object.fromEntries(expected));
});

test("v2: fieldValidation is inline in the patch, where kubectl looks for it", () => {
  const item = swagger.paths?.["/api/v1/namespaces/{namespace}/configmaps/{name}"];
  expect(names(item?.patch?.parameters)).toEqual([
    undefined,
    "dryRun",
    undefined,
    "fieldValidation",
    undefined,
  ]);
});

test("v2Protobuf: the document has the same paths and definitions as in JSON", () => {
  const message = fieldsOf(openApi.v2Protobuf().body);
  const nested = (tag: number, within: Uint8Array | undefined) =>
    within ? fieldsOf(within).flatMap(([at, bytes]) => (at === tag ? [bytes] : [])) : [];
  const first = (tag: number) => message.find(([at]) => at === tag)?.[1];
  const nameOf = (bytes: Uint8Array) => new TextDecoder().decode(nested(1, bytes)[0]);
  expect({
    swagger: new TextDecoder().decode(first(1)),
    paths: nested(2, first(8)).map(nameOf),
    definitions: nested(1, first(9)).map(nameOf),
  }).toEqual({
    swagger: "2.0",
    paths: Object.keys(swagger.paths ?? {}),
    definitions: Object.keys(swagger.definitions ?? {}),
  });
});

test("a document is built once", () => {
  expect(openApi.v3("api/v1")).toBe(openApi.v3("api/v1"));
});

function names(parameters: unknown): unknown {
  return (parameters as readonly Schema[] | undefined)?.map(({ name }) => name);
}

function* references(value: unknown): Generator<string> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    if (key === "$ref") yield item as string;
    else yield* references(item);
  }
}

/** The fields of a message; all of them are length-delimited. */
function fieldsOf(bytes: Uint8Array): [tag: number, value: Uint8Array][] {
  const reader = new WireReader(bytes);
  const fields: [number, Uint8Array][] = [];
  while (reader.at < reader.end) fields.push([reader.varint() >> 3, reader.raw()]);
  return fields;
}

test("openid: the discovery paths of the token issuer are documented if they are served", () => {
  const paths = ["/.well-known/openid-configuration/", "/openid/v1/jwks/"];
  expect(Object.keys(swagger.paths as Json)).toEqual(expect.arrayContaining(paths));
  expect(Object.keys(parsed(openApi.v3Index()).paths as Json)).toEqual(
    expect.arrayContaining([".well-known/openid-configuration", "openid/v1/jwks"]),
  );
  expect(parsed(openApi.v3("openid/v1/jwks"))).toMatchObject({
    paths: {
      "/openid/v1/jwks/": {
        get: {
          operationId: "getServiceAccountIssuerOpenIDKeyset",
          tags: ["openid"],
          responses: {
            200: {
              description: "OK",
              content: { "application/jwk-set+json": { schema: { type: "string" } } },
            },
            401: { description: "Unauthorized" },
          },
        },
      },
    },
  });
  const without = new OpenApi({
    resources,
    hash: String,
    version: "",
    hasOpenIdMetadata: false,
    now: () => 0,
  });
  expect(JSON.stringify(parsed(without.v2()))).not.toContain("openid");
});
