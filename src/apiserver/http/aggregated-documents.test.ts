import { expect, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { send } from "../in-process.test-support.ts";
import type { ApiServer } from "../server.ts";
import {
  addApi,
  aggregatingServer,
  apiName,
  apiServices,
  extensionServer,
  group,
  type IncomingMessage,
  json,
  reached,
  type ServerResponse,
} from "./extension-server.test-support.ts";

const root = `/apis/${group}/v1`;

const things = {
  resource: "things",
  responseKind: { group, version: "v1", kind: "Thing" },
  scope: "Namespaced",
  singularResource: "thing",
  verbs: ["get", "list"],
  shortNames: ["th"],
  subresources: [{ subresource: "status", responseKind: null, verbs: ["get"] }],
};

const discovered = {
  version: "v1",
  resources: [
    {
      ...things,
      subresources: [
        {
          subresource: "status",
          responseKind: { group: "", version: "", kind: "" },
          verbs: ["get"],
        },
      ],
    },
  ],
  freshness: "Current",
};

/** The documents of a server, by their paths; what a test changes is sent from then on. */
type Documents = Record<string, unknown>;

const withDocuments =
  (documents: Documents) =>
  ({ url = "", headers }: IncomingMessage, response: ServerResponse): void => {
    const path = url.split("?")[0] ?? "";
    const document = documents[path];
    if (document === undefined) {
      json(response, {}, 404);
      return;
    }
    const type =
      path === "/apis" && headers.accept?.includes("as=APIGroupDiscoveryList")
        ? "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
        : "application/json";
    response.writeHead(200, { "content-type": type, "x-user": headers["x-remote-user"] });
    response.end(JSON.stringify(document));
  };

const aggregatedList = (resources: readonly object[]) => ({
  kind: "APIGroupDiscoveryList",
  apiVersion: "apidiscovery.k8s.io/v2",
  items: [
    { metadata: { name: group }, versions: [{ version: "v1", resources, freshness: "Current" }] },
    { metadata: { name: "apps" }, versions: [{ version: "v1", resources: [] }] },
  ],
});

/** The versions of a group in aggregated discovery. */
async function versionsOf(server: ApiServer, name: string) {
  const { text } = await send(server, {
    path: "/apis",
    headers: {
      accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
    },
  });
  const { items } = JSON.parse(text) as {
    items: { metadata: { name: string }; versions: unknown[] }[];
  };
  return items.find(({ metadata }) => metadata.name === name)?.versions;
}

const document = async (server: ApiServer, path: string) =>
  JSON.parse((await send(server, { path })).text);

test("discovery has the resources of the server, stale while it cannot be reached", async () => {
  const documents: Documents = { [root]: {}, "/apis": aggregatedList([things]) };
  const server = await aggregatingServer();
  const apps = await versionsOf(server, "apps");
  await addApi(server, await extensionServer(withDocuments(documents)));
  await eventually(async () => expect(await versionsOf(server, group)).toEqual([discovered]));
  expect(await versionsOf(server, "apps")).toEqual(apps);
  expect((await document(server, `/apis/${group}`)).preferredVersion.version).toBe("v1");
  await send(server, {
    method: "DELETE",
    path: "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/api-1",
  });
  await reached(server, "EndpointsNotFound");
  await eventually(async () =>
    expect(await versionsOf(server, group)).toEqual([{ version: "v1", freshness: "Stale" }]),
  );
  await send(server, { method: "DELETE", path: `${apiServices}/${apiName}` });
  expect(await versionsOf(server, group)).toBe(undefined);
});

test("discovery of a server without aggregated discovery is made of its list", async () => {
  const resources = [
    { name: "things/status", namespaced: true, kind: "Thing", verbs: ["get"] },
    {
      name: "things",
      singularName: "thing",
      namespaced: true,
      group,
      version: "v1",
      kind: "Thing",
      verbs: ["get", "list"],
      shortNames: ["th"],
    },
  ];
  const documents = { [root]: { kind: "APIResourceList", resources }, "/apis": {} };
  const server = await aggregatingServer();
  const port = await extensionServer(({ url, headers }, response) => {
    // It does not know the parameters of the media type.
    withDocuments(documents)(
      { url, headers: { ...headers, accept: "application/json" } } as IncomingMessage,
      response,
    );
  });
  await addApi(server, port);
  const [version] = [discovered].map(({ resources: [first], ...rest }) => ({
    ...rest,
    resources: [
      {
        ...first,
        subresources: [
          {
            subresource: "status",
            responseKind: { group: "", version: "", kind: "Thing" },
            verbs: ["get"],
          },
        ],
      },
    ],
  }));
  await eventually(async () => expect(await versionsOf(server, group)).toEqual([version]));
});

const operation = {
  operationId: "listThings",
  responses: { 200: { description: "OK", schema: { $ref: "#/definitions/example.Thing" } } },
  produces: ["application/json"],
};
const openApi2 = {
  swagger: "2.0",
  info: { title: "Things", version: "1" },
  paths: {
    [`${root}/things`]: { get: operation },
    "/apis/apps/v1/deployments": { get: { ...operation, operationId: "stolen" } },
    "/other/": { get: { responses: { 200: { schema: { $ref: "#/definitions/example.Other" } } } } },
  },
  definitions: {
    "example.Thing": {
      type: "object",
      properties: {
        metadata: { $ref: "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" },
      },
    },
    "example.Other": { type: "object" },
    "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": { type: "object", description: "Mine." },
  },
};
const meta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

test("OpenAPI 2 has the paths of the server's API, with definitions that do not clash", async () => {
  const server = await aggregatingServer();
  const before = await document(server, "/openapi/v2");
  const documents: Documents = { [root]: {}, "/openapi/v2": openApi2 };
  await addApi(server, await extensionServer(withDocuments(documents)));
  const merged = await eventually(async () => {
    const found = await document(server, "/openapi/v2");
    expect(found.paths).toHaveProperty([`${root}/things`]);
    return found;
  });
  const { paths, definitions } = merged;
  expect(paths[`${root}/things`]).toEqual({ get: operation });
  expect(paths["/apis/apps/v1/deployments"]).toEqual(before.paths["/apis/apps/v1/deployments"]);
  expect(paths["/other/"]).toBe(undefined);
  expect(definitions["example.Other"]).toBe(undefined);
  expect(definitions["example.Thing"].properties.metadata.$ref).toBe(`#/definitions/${meta}_v2`);
  expect(definitions[`${meta}_v2`]).toEqual({ type: "object", description: "Mine." });
  expect(definitions[meta]).toEqual(before.definitions[meta]);
  const { status } = await send(server, {
    path: "/openapi/v2",
    headers: { accept: "application/com.github.proto-openapi.spec.v2.v1.0+protobuf" },
  });
  expect(status).toBe(200);
  await send(server, { method: "DELETE", path: `${apiServices}/${apiName}` });
  expect(await document(server, "/openapi/v2")).toEqual(before);
});

test("OpenAPI 3 of the server is in the index, and proxied", async () => {
  const server = await aggregatingServer();
  const name = root.slice(1);
  const documents: Documents = {
    [root]: {},
    "/openapi/v3": {
      paths: {
        [name]: { serverRelativeURL: `/openapi/v3/${name}?hash=1` },
        "apis/apps/v1": { serverRelativeURL: "/openapi/v3/apis/apps/v1?hash=2" },
        version: { serverRelativeURL: "/openapi/v3/version?hash=3" },
      },
    },
    [`/openapi/v3/${name}`]: { openapi: "3.0.0", info: { title: "theirs" } },
  };
  await addApi(server, await extensionServer(withDocuments(documents)));
  await eventually(async () => {
    const { paths } = await document(server, "/openapi/v3");
    expect(paths[name]).toEqual({ serverRelativeURL: `/openapi/v3/${name}?hash=1` });
    expect(paths["apis/apps/v1"].serverRelativeURL).not.toMatch(/hash=2$/);
  });
  const { status, text, headers } = await send(server, { path: `/openapi/v3/${name}?hash=1` });
  expect([status, JSON.parse(text).info.title, headers["x-user"]]).toEqual([
    200,
    "theirs",
    "admin",
  ]);
  expect((await document(server, "/openapi/v3/apis/apps/v1")).info.title).toBe("Kubernetes");
});

test("OpenAPI 3 is made of OpenAPI 2 where the server has no other", async () => {
  const server = await aggregatingServer();
  const documents: Documents = { [root]: {}, "/openapi/v2": openApi2 };
  await addApi(server, await extensionServer(withDocuments(documents)));
  const url = await eventually(async () => {
    const { paths } = await document(server, "/openapi/v3");
    expect(paths).toHaveProperty([root.slice(1)]);
    return paths[root.slice(1)].serverRelativeURL as string;
  });
  const made = await document(server, url);
  expect(made.paths).toEqual({
    [`${root}/things`]: {
      get: {
        operationId: "listThings",
        responses: {
          200: {
            description: "OK",
            content: {
              "application/json": { schema: { $ref: "#/components/schemas/example.Thing" } },
            },
          },
        },
      },
    },
  });
  expect(Object.keys(made.components.schemas).sort()).toEqual(["example.Thing", meta]);
});
