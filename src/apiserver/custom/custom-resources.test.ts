import { afterEach, beforeEach, expect, test } from "vitest";
import { send, toApiRequest } from "../in-process.test-support.ts";
import type { StreamBody } from "../request/request.ts";
import {
  type Answer,
  type CustomServer,
  conditionOf,
  definitionOf,
  definitions,
  gear,
  gearSchema,
  gears,
  isEstablished,
  openCustom,
  version,
} from "./custom.test-support.ts";

let custom: CustomServer;
beforeEach(async () => {
  custom = await openCustom();
});
afterEach(() => custom.close());

const definition = `${definitions}/gears.g.io`;
const isGone = ({ status }: Answer) => status === 404;
const post = (body: object, path = gears) => custom.ask({ method: "POST", path, body });
const merge = (path: string, body: object) =>
  custom.ask({
    method: "PATCH",
    path,
    headers: { "content-type": "application/merge-patch+json" },
    body,
  });

test("a definition says nothing of itself at first, then that it is served", async () => {
  const { body } = await post(definitionOf({}), definitions);
  expect(body.status).toEqual({
    conditions: null,
    acceptedNames: { plural: "", kind: "" },
    storedVersions: ["v1"],
  });
  const { body: later } = await custom.until(definition, isEstablished);
  const time = "2026-01-01T00:00:00Z";
  expect(later.status).toEqual({
    conditions: [
      {
        type: "NamesAccepted",
        status: "True",
        lastTransitionTime: time,
        reason: "NoConflicts",
        message: "no conflicts found",
      },
      {
        type: "Established",
        status: "True",
        lastTransitionTime: time,
        reason: "InitialNamesAccepted",
        message: "the initial names have been accepted",
      },
    ],
    acceptedNames: { plural: "gears", singular: "gear", kind: "Gear", listKind: "GearList" },
    storedVersions: ["v1"],
  });
  expect(
    later.metadata.managedFields.map((entry: Record<string, string>) => [
      entry.manager,
      entry.subresource,
    ]),
  ).toEqual([
    ["kube-apiserver", "status"],
    ["unknown", undefined],
  ]);
});

test("custom kinds are in every form of discovery", async () => {
  await custom.define({
    names: { plural: "gears", kind: "Gear", shortNames: ["gr"], categories: ["all"] },
    versions: [
      version({ subresources: { status: {} } }),
      version({ name: "v1beta1", storage: false }),
    ],
  });
  const { body: groups } = await custom.ask({ path: "/apis" });
  expect(groups.groups.at(-1)).toEqual({
    name: "g.io",
    versions: [
      { groupVersion: "g.io/v1", version: "v1" },
      { groupVersion: "g.io/v1beta1", version: "v1beta1" },
    ],
    preferredVersion: { groupVersion: "g.io/v1", version: "v1" },
  });
  const { body: aggregated } = await custom.ask({
    path: "/apis",
    headers: { accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList" },
  });
  const verbs = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
  const kind = { group: "g.io", version: "v1", kind: "Gear" };
  expect(aggregated.items.at(-1).versions[0]).toEqual({
    version: "v1",
    freshness: "Current",
    resources: [
      {
        resource: "gears",
        responseKind: kind,
        scope: "Namespaced",
        singularResource: "gear",
        verbs,
        shortNames: ["gr"],
        categories: ["all"],
        subresources: [
          { subresource: "status", responseKind: kind, verbs: ["get", "patch", "update"] },
        ],
      },
    ],
  });
});

test("the first definition gets a name, and others get it when it is free", async () => {
  await custom.define({ names: { plural: "gears", kind: "Gear", shortNames: ["gr"] } });
  const names = { plural: "wheels", kind: "Wheel", shortNames: ["gr", "w"] };
  await post(definitionOf({ names }), definitions);
  const wheels = `${definitions}/wheels.g.io`;
  const { body: refused } = await custom.until(wheels, ({ body }) => body.status.conditions);
  expect([
    refused.status.acceptedNames,
    conditionOf(refused, "NamesAccepted"),
    conditionOf(refused, "Established"),
  ]).toEqual([
    { plural: "wheels", singular: "wheel", kind: "Wheel", listKind: "WheelList" },
    ["False", "ShortNamesConflict", '"gr" is already in use'],
    ["False", "NotAccepted", "not all names are accepted"],
  ]);
  expect((await custom.ask({ path: "/apis/g.io/v1/wheels" })).status).toBe(404);
  await custom.ask({ method: "DELETE", path: definition });
  const { body: accepted } = await custom.until(wheels, isEstablished);
  expect(accepted.status.acceptedNames.shortNames).toEqual(["gr", "w"]);
});

test("another group may have the same names", async () => {
  await custom.define({});
  await custom.define({ group: "h.io" });
  const { status } = await custom.ask({ path: "/apis/h.io/v1/gears" });
  expect(status).toBe(200);
});

test("a version that is served no more is gone, and so is its path", async () => {
  await custom.define({ versions: [version({}), version({ name: "v2", storage: false })] });
  await post(gear("a"));
  const v2 = gears.replace("v1", "v2");
  expect((await custom.ask({ path: `${v2}/a` })).body.apiVersion).toBe("g.io/v2");
  await merge(definition, {
    spec: { versions: [version({}), version({ name: "v2", storage: false, served: false })] },
  });
  const { body } = await custom.until(v2, isGone);
  expect(body).toBe("404 page not found\n");
  expect((await custom.ask({ path: `${gears}/a` })).status).toBe(200);
});

test("a changed schema applies from then on, also to stored objects", async () => {
  await custom.define({});
  await post(gear("a", { spec: { color: "red" } }));
  const openAPIV3Schema = structuredClone(gearSchema) as {
    properties: { spec: { properties: object } };
  };
  openAPIV3Schema.properties.spec.properties = { size: { type: "integer", default: 1 } };
  await merge(definition, { spec: { versions: [version({ schema: { openAPIV3Schema } })] } });
  const { body } = await custom.until(`${gears}/a`, ({ body }) => body.spec.size === 1);
  expect(body.spec).toEqual({ size: 1 });
});

test("pages go on at their version when the schema changes, and show what it says then", async () => {
  await custom.define({});
  for (const name of ["a", "b", "c"]) await post(gear(name, { spec: { teeth: 1 } }));
  const first = await custom.ask({ path: `${gears}?limit=1` });
  const properties = { teeth: { type: "integer" }, size: { type: "integer", default: 7 } };
  const spec = { type: "object", properties };
  const openAPIV3Schema = { ...gearSchema, properties: { spec } };
  await merge(definition, { spec: { versions: [version({ schema: { openAPIV3Schema } })] } });
  await custom.until(`${gears}/a`, ({ body }) => body.spec?.size === 7);
  await custom.ask({ method: "DELETE", path: `${gears}/c` });
  const path = `${gears}?limit=2&continue=${first.body.metadata.continue}`;
  const { body } = await custom.ask({ path });
  const { resourceVersion } = first.body.metadata;
  expect(body.metadata).toEqual({ continue: "", resourceVersion });
  expect(body.items.map(({ metadata, spec }: typeof body) => [metadata.name, spec])).toEqual([
    ["b", { teeth: 1, size: 7 }],
    ["c", { teeth: 1, size: 7 }],
  ]);
});

test("a watch ends when its kind is rebuilt, and continues while only the status changes", async () => {
  await custom.define({});
  let ended = false;
  let seen = "";
  const response = await custom.server.handle(toApiRequest({ path: `${gears}?watch=true` }));
  (response.body as StreamBody).start({
    write(chunk) {
      seen += typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk);
      return true;
    },
    end: () => {
      ended = true;
    },
    onDrain: () => {},
  });
  await merge(definition, { metadata: { labels: { a: "b" } } });
  await post(gear("a"));
  expect([ended, JSON.parse(seen).type]).toEqual([false, "ADDED"]);
  await merge(definition, {
    spec: { versions: [version({ schema: { openAPIV3Schema: { type: "object" } } })] },
  });
  await custom.until(`${gears}/a`, ({ body }) => body.spec === undefined);
  expect(ended).toBe(true);
});

test("a definition that is deleted takes its objects with it", async () => {
  await custom.define({});
  await post(gear("a"));
  const { status, body } = await custom.ask({ method: "DELETE", path: definition });
  expect([status, body.metadata.finalizers, conditionOf(body, "Terminating")]).toEqual([
    200,
    ["customresourcecleanup.apiextensions.k8s.io"],
    [
      "True",
      "InstanceDeletionPending",
      "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
    ],
  ]);
  await custom.until(definition, isGone);
  expect((await custom.ask({ path: gears })).status).toBe(404);
  expect((await custom.store.list("/registry/g.io/", {})).entries).toEqual([]);
});

test("an object with a finalizer keeps its definition, and nothing new is created meanwhile", async () => {
  await custom.define({});
  await post(gear("a", { metadata: { name: "a", finalizers: ["g.io/hold"] } }));
  await custom.ask({ method: "DELETE", path: definition });
  const { body } = await custom.until(
    definition,
    ({ body }) => conditionOf(body, "Terminating")?.[1] === "InstanceDeletionInProgress",
  );
  expect(conditionOf(body, "Established")?.[0]).toBe("True");
  const refused = await post(gear("b"));
  expect([refused.status, refused.body.message]).toEqual([
    403,
    'gears.g.io "b" is forbidden: create not allowed while custom resource definition is terminating',
  ]);
  const { body: resources } = await custom.ask({ path: "/apis/g.io/v1" });
  expect(resources.resources[0].verbs).toEqual([
    "delete",
    "deletecollection",
    "get",
    "list",
    "watch",
  ]);
  await merge(`${gears}/a`, { metadata: { finalizers: null } });
  await custom.until(definition, isGone);
});

test("objects of a definition that comes again are not those of the one before", async () => {
  await custom.define({});
  await post(gear("a"));
  await custom.ask({ method: "DELETE", path: definition });
  await custom.until(definition, isGone);
  await custom.define({});
  expect((await custom.ask({ path: gears })).body.items).toEqual([]);
});

test("a server serves the definitions in its store from the start", async () => {
  await custom.define({});
  await post(gear("a", { spec: {} }));
  const again = await openCustom(custom.clock, custom.store);
  const { body } = await again.ask({ path: `${gears}/a` });
  expect(body.spec).toEqual({ teeth: 8 });
  again.close();
});

test("a definition in the place of a declared kind is not served, and takes nothing with it", async () => {
  const path = `${definitions}/apiservices.apiregistration.k8s.io`;
  const overlapping = definitionOf({
    group: "apiregistration.k8s.io",
    scope: "Cluster",
    names: { plural: "apiservices", kind: "APIService" },
  });
  const annotations = { "api-approved.kubernetes.io": "unapproved, a test" };
  await post({ ...overlapping, metadata: { ...overlapping.metadata, annotations } }, definitions);
  await custom.until(path, isEstablished);
  const before = await custom.ask({ path: "/apis/apiregistration.k8s.io/v1/apiservices" });
  await custom.ask({ method: "DELETE", path });
  await custom.until(path, isGone);
  const after = await custom.ask({ path: "/apis/apiregistration.k8s.io/v1/apiservices" });
  expect([before.status, after.body.kind]).toEqual([200, "APIServiceList"]);
});

test("custom kinds are in the OpenAPI documents as long as they are served", async () => {
  const documents = async () => {
    const { body: index } = await custom.ask({ path: "/openapi/v3" });
    const { body: v2 } = await custom.ask({ path: "/openapi/v2" });
    const ours = (names: object) => Object.keys(names).filter((name) => /g\.io|io\.g\./.test(name));
    return [ours(index.paths), ours(v2.definitions), ours(v2.paths).length];
  };
  expect(await documents()).toEqual([[], [], 0]);
  await custom.define({ versions: [version({ subresources: { status: {} } })] });
  expect(await documents()).toEqual([["apis/g.io/v1"], ["io.g.v1.Gear", "io.g.v1.GearList"], 4]);
  const { body: document } = await custom.ask({ path: "/openapi/v3/apis/g.io/v1" });
  expect([
    document.info.title,
    Object.keys(document.paths),
    document.components.schemas["io.g.v1.Gear"].properties.spec,
  ]).toEqual([
    "Kubernetes CRD Swagger",
    [
      "/apis/g.io/v1/gears",
      "/apis/g.io/v1/namespaces/{namespace}/gears",
      "/apis/g.io/v1/namespaces/{namespace}/gears/{name}",
      "/apis/g.io/v1/namespaces/{namespace}/gears/{name}/status",
    ],
    gearSchema.properties.spec,
  ]);
  const protobuf = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
  const { body: encoded } = await custom.ask({
    path: "/openapi/v2",
    headers: { accept: protobuf },
  });
  expect(encoded).toContain("io.g.v1.GearList");
  await custom.ask({ method: "DELETE", path: definition });
  await custom.until(definition, isGone);
  expect(await documents()).toEqual([[], [], 0]);
});

test("a watch of custom resources goes on after a restart where it was", async () => {
  await custom.define({});
  const { body: first } = await post(gear("a"));
  await post(gear("b"));
  await merge(`${gears}/a`, { spec: { teeth: 9 } });
  custom.close();
  custom = await openCustom(custom.clock, custom.store);
  await custom.ask({ method: "DELETE", path: `${gears}/b` });
  const { resourceVersion } = first.metadata;
  const watch = send(custom.server, {
    path: `${gears}?watch=1&timeoutSeconds=1&resourceVersion=${resourceVersion}`,
  });
  await custom.clock.advance(1_000);
  const events = (await watch).text.trim().split("\n");
  expect(events.map((line) => JSON.parse(line).type)).toEqual(["ADDED", "MODIFIED", "DELETED"]);
});

test("a bookmark of custom resources has kind and version alone", async () => {
  await custom.define({});
  const { body } = await post(gear("a"));
  const options = "sendInitialEvents=1&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=1";
  const watch = send(custom.server, { path: `${gears}?watch=1&timeoutSeconds=1&${options}` });
  await custom.clock.advance(1_000);
  const [, bookmark] = (await watch).text.split("\n");
  expect(bookmark).toBe(
    `{"type":"BOOKMARK","object":{"apiVersion":"${body.apiVersion}","kind":"Gear","metadata":{"annotations":{"k8s.io/initial-events-end":"true"},"resourceVersion":"${body.metadata.resourceVersion}"}}}`,
  );
});
