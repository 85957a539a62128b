import { expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { createClient } from "../client.ts";
import {
  refused,
  type ScriptedAnswer,
  scriptedTransport,
} from "../scripted-transport.test-support.ts";
import type { TransportRequest } from "../transport.ts";
import { createDiscovery } from "./discovery.ts";
import type { DiscoveryCache } from "./discovery-cache.ts";
import { createRestMapper } from "./rest-mapper.ts";

const aggregatedType = (version: string) =>
  `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;

const pods = {
  resource: "pods",
  responseKind: { group: "", version: "", kind: "Pod" },
  scope: "Namespaced",
  singularResource: "pod",
  verbs: ["get", "list"],
  shortNames: ["po"],
  categories: ["all"],
  subresources: [
    {
      subresource: "status",
      responseKind: { group: "", version: "", kind: "Pod" },
      verbs: ["get"],
    },
    {
      subresource: "eviction",
      responseKind: { group: "policy", version: "v1", kind: "Eviction" },
      verbs: ["create"],
    },
    { subresource: "unnamed", verbs: ["get"] },
  ],
};
const thing = (kind: string) => ({
  resource: `${kind.toLowerCase()}s`,
  responseKind: { group: "example.com", version: "v1", kind },
  scope: "Cluster",
  singularResource: kind.toLowerCase(),
  verbs: ["list"],
});
const groupList = (...items: object[]) => ({ kind: "APIGroupDiscoveryList", items });
const core = groupList({
  metadata: {},
  versions: [{ version: "v1", resources: [pods, { resource: "nameless", verbs: [] }] }],
});
const named = (...kinds: string[]) =>
  groupList({
    metadata: { name: "example.com" },
    versions: [
      { version: "v2", freshness: "Stale" },
      { version: "v1", freshness: "Current", resources: kinds.map(thing) },
    ],
  });

/** A discovery client of a server with these responses. */
function open(
  answer: (request: TransportRequest) => ScriptedAnswer | Promise<ScriptedAnswer>,
  cache?: DiscoveryCache,
) {
  const { transport, asked } = scriptedTransport(answer);
  const clock = new VirtualClock(0);
  const discovery = createDiscovery(createClient(transport, { clock }), { cache });
  const paths = () => asked.splice(0).map(({ path }) => path);
  return { discovery, asked, paths, clock, mapper: createRestMapper(discovery) };
}

for (const version of ["v2", "v2beta1"])
  test(`aggregated discovery of ${version} takes two requests`, async () => {
    const { discovery, asked } = open(({ path }) => ({
      headers: { "content-type": aggregatedType(version) },
      body: path === "/api" ? core : named("Thing"),
    }));
    const apis = await discovery.apis();
    expect(asked.map(({ path, headers }) => [path, headers.accept])).toEqual(
      ["/api", "/apis"].map((path) => [
        path,
        `${aggregatedType("v2")},${aggregatedType("v2beta1")},application/json`,
      ]),
    );
    expect(apis.groups).toEqual([
      { name: "", versions: ["v1"], preferredVersion: "v1" },
      { name: "example.com", versions: ["v1"], preferredVersion: "v1" },
    ]);
    expect(apis.resources).toEqual([
      {
        group: "",
        version: "v1",
        kind: "Pod",
        plural: "pods",
        singular: "pod",
        scope: "Namespaced",
        verbs: ["get", "list"],
        shortNames: ["po"],
        categories: ["all"],
        subresources: [
          { name: "status", group: "", version: "v1", kind: "Pod", verbs: ["get"] },
          { name: "eviction", group: "policy", version: "v1", kind: "Eviction", verbs: ["create"] },
        ],
      },
      {
        group: "example.com",
        version: "v1",
        kind: "Thing",
        plural: "things",
        singular: "thing",
        scope: "Cluster",
        verbs: ["list"],
        shortNames: [],
        categories: [],
        subresources: [],
      },
    ]);
    expect([...apis.failures].map(([at, { message }]) => [at, message])).toEqual([
      ["example.com/v2", "stale GroupVersion discovery: example.com/v2"],
    ]);
    await discovery.apis();
    expect(asked.length).toBe(2);
  });

test("the parameters of an aggregated content type may be in any order, or missing", async () => {
  const shuffled =
    'application/json; as="APIGroupDiscoveryList"; charset=utf-8; v=v2; g=apidiscovery.k8s.io';
  for (const [type, kind] of [
    [shuffled, undefined],
    ["application/json", "APIGroupDiscoveryList"],
  ]) {
    const { discovery, paths } = open(({ path }) => ({
      headers: { "content-type": type },
      body: { ...(path === "/api" ? core : named("Thing")), kind },
    }));
    expect((await discovery.apis()).resources.length).toBe(2);
    expect(paths()).toEqual(["/api", "/apis"]);
  }
});

const documents: Readonly<Record<string, ScriptedAnswer>> = {
  "/api": { body: { kind: "APIVersions", versions: ["v1"] } },
  "/apis": {
    body: {
      kind: "APIGroupList",
      groups: ["a.example.com", "b.example.com"].map((name) => ({
        name,
        versions: ["v2", "v1"].map((version) => ({ groupVersion: `${name}/${version}`, version })),
        preferredVersion: { groupVersion: `${name}/v1`, version: "v1" },
      })),
    },
  },
  "/api/v1": refused(404, "NotFound"),
  "/apis/a.example.com/v1": {
    body: {
      kind: "APIResourceList",
      groupVersion: "a.example.com/v1",
      resources: [
        {
          name: "things",
          singularName: "thing",
          namespaced: true,
          kind: "Thing",
          verbs: ["get"],
          storageVersionHash: "abc=",
        },
        {
          name: "things/scale",
          singularName: "",
          namespaced: true,
          group: "autoscaling",
          version: "v1",
          kind: "Scale",
          verbs: ["get"],
        },
      ],
    },
  },
  "/apis/a.example.com/v2": {
    body: { kind: "APIResourceList", groupVersion: "a.example.com/v2", resources: [] },
  },
  "/apis/b.example.com/v1": refused(503, "ServiceUnavailable", "nobody is there"),
  "/apis/b.example.com/v2": refused(403, "Forbidden", "not you"),
};

test("unaggregated discovery requests each version, and single versions may fail", async () => {
  const { discovery, mapper } = open(({ path }) => documents[path] ?? refused(404, "NotFound"));
  const { groups, resources, failures } = await discovery.apis();
  expect(groups.map(({ name, preferredVersion }) => [name, preferredVersion])).toEqual([
    ["", "v1"],
    ["a.example.com", "v1"],
    ["b.example.com", "v1"],
  ]);
  expect(resources).toMatchObject([
    {
      group: "a.example.com",
      version: "v1",
      plural: "things",
      storageVersionHash: "abc=",
      subresources: [{ name: "scale", group: "autoscaling", version: "v1", kind: "Scale" }],
    },
  ]);
  expect([...failures].map(([at, error]) => `${at}: ${error.message}`).sort()).toEqual([
    "b.example.com/v1: nobody is there",
    "b.example.com/v2: not you",
  ]);
  expect(await mapper.named("thing.a")).toMatchObject({ group: "a.example.com", plural: "things" });
});

test("a server without the core group is accepted, one that rejects /apis is not", async () => {
  const without = open(({ path }) =>
    path === "/api"
      ? refused(404, "NotFound")
      : { headers: { "content-type": aggregatedType("v2") }, body: named("Thing") },
  );
  expect((await without.discovery.apis()).resources.map(({ kind }) => kind)).toEqual(["Thing"]);
  const refusing = open(() => refused(403, "Forbidden", "no"));
  await expect(refusing.discovery.apis()).rejects.toMatchObject({ reason: "Forbidden" });
});

test("if only one root is aggregated, each version is requested", async () => {
  const { discovery, paths } = open(({ path }) => {
    if (path === "/api") return { headers: { "content-type": aggregatedType("v2") }, body: core };
    return documents[path] ?? refused(404, "NotFound");
  });
  await discovery.apis();
  expect(paths().sort()).toEqual(Object.keys(documents).sort());
});

/** A server whose resources change, and which supports ETags. */
function changingServer() {
  const state = { kinds: ["Thing"], unchanged: 0 };
  const answer = ({ path, headers }: TransportRequest): ScriptedAnswer => {
    const body = path === "/api" ? core : named(...state.kinds);
    const etag = `"${path}-${state.kinds}"`;
    if (headers["if-none-match"] === etag) {
      state.unchanged++;
      return { status: 304, headers: { etag } };
    }
    return { headers: { "content-type": aggregatedType("v2"), etag }, body };
  };
  return { state, answer };
}

test("a kind that was just defined is found by one more request, and unchanged documents are not sent again", async () => {
  const { state, answer } = changingServer();
  const { mapper, paths } = open(answer);
  await mapper.named("things");
  expect(paths()).toEqual(["/api", "/apis"]);
  await expect(mapper.named("gadgets")).rejects.toThrow(
    'the server doesn\'t have a resource type "gadgets"',
  );
  expect([paths(), state.unchanged]).toEqual([["/api", "/apis"], 2]);
  state.kinds = ["Thing", "Gadget"];
  const found = await mapper.kindOf({ apiVersion: "example.com/v1", kind: "Gadget" });
  expect(found).toEqual({
    group: "example.com",
    version: "v1",
    kind: "Gadget",
    plural: "gadgets",
    scope: "Cluster",
  });
  expect(paths()).toEqual(["/api", "/apis"]);
  await mapper.named("gadgets");
  expect(paths()).toEqual([]);
});

test("a caller that misses something in a new result does not cause another request", async () => {
  const { mapper, paths } = open(changingServer().answer);
  await expect(mapper.kind({ group: "example.com", kind: "Nope" })).rejects.toThrow(
    'no matches for kind "Nope" in group "example.com"',
  );
  expect(paths()).toEqual(["/api", "/apis"]);
});

test("many callers that miss something cause one request", async () => {
  const { mapper, discovery, paths } = open(changingServer().answer);
  await discovery.apis();
  paths();
  const misses = ["a", "b", "c"].map((name) => mapper.named(name).catch(() => undefined));
  await Promise.all(misses);
  expect(paths()).toEqual(["/api", "/apis"]);
});

test("a failed attempt is not cached", async () => {
  let isDown = true;
  const { answer } = changingServer();
  const { discovery } = open((request) =>
    isDown ? refused(503, "ServiceUnavailable") : answer(request),
  );
  await expect(discovery.apis()).rejects.toMatchObject({ reason: "ServiceUnavailable" });
  isDown = false;
  expect((await discovery.apis()).resources.length).toBe(2);
});

test("a caller that aborts leaves the response to the others", async () => {
  const { answer } = changingServer();
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { discovery } = open(async (request) => {
    await held;
    return answer(request);
  });
  const ending = new AbortController();
  const given = discovery.apis({ signal: ending.signal });
  const patient = discovery.apis();
  ending.abort(new Error("enough"));
  await expect(given).rejects.toThrow("enough");
  release();
  expect((await patient).resources.length).toBe(2);
  await expect(discovery.apis({ signal: ending.signal })).rejects.toThrow("enough");
});

test("a discovery request times out after 32 seconds", async () => {
  const { discovery, clock } = open(() => new Promise<never>(() => {}));
  const asked = discovery.apis();
  const failed = expect(asked).rejects.toThrow("deadline of 32000 ms exceeded");
  await clock.advance(32_000);
  await failed;
});

test("the server's version is requested each time", async () => {
  const { discovery, paths } = open(() => ({
    body: { major: "1", minor: "36", gitVersion: "v1.36.4" },
  }));
  expect(await discovery.version()).toMatchObject({ gitVersion: "v1.36.4" });
  await discovery.version();
  expect(paths()).toEqual(["/version", "/version"]);
});

/** A cache in memory whose documents tests can read and corrupt. */
function memoryCache() {
  const documents = new Map<string, unknown>();
  const cache: DiscoveryCache = {
    read: async (name) => documents.get(name),
    async write(name, document) {
      documents.set(name, document);
    },
  };
  return { cache, documents };
}

test("documents in the cache are not requested again", async () => {
  const { answer } = changingServer();
  const { cache, documents } = memoryCache();
  const first = open(answer, cache);
  const learned = await first.discovery.apis();
  expect([...documents.keys()].sort()).toEqual([
    "example.com/v1/serverresources.json",
    "servergroups.json",
    "v1/serverresources.json",
  ]);
  const second = open(answer, cache);
  const kept = await second.discovery.apis();
  expect(second.paths()).toEqual([]);
  expect([kept.groups, kept.resources]).toEqual([learned.groups, learned.resources]);
  expect([learned.isFromCache, kept.isFromCache]).toEqual([false, true]);
});

test("cached documents have apiVersion and kind, even if the server sends none", async () => {
  const { cache, documents: kept } = memoryCache();
  await open(({ path }) => documents[path] ?? refused(404, "NotFound"), cache).discovery.apis();
  expect([...kept.values()].map((document) => document as { apiVersion?: string })).toEqual(
    ["APIResourceList", "APIResourceList", "APIResourceList", "APIGroupList"].map((kind) =>
      expect.objectContaining({ kind, apiVersion: "v1" }),
    ),
  );
});

test("documents missing in the cache are requested and stored", async () => {
  const { state, answer } = changingServer();
  const { cache, documents } = memoryCache();
  await open(answer, cache).discovery.apis();
  state.kinds = ["Gadget"];
  const { mapper, paths } = open(answer, cache);
  expect(await mapper.named("gadgets")).toMatchObject({ kind: "Gadget" });
  expect(paths()).toEqual(["/api", "/apis"]);
  expect(JSON.stringify(documents.get("example.com/v1/serverresources.json"))).toContain("gadgets");
  const third = open(answer, cache);
  expect(await third.mapper.named("gadgets")).toMatchObject({ kind: "Gadget" });
  expect(third.paths()).toEqual([]);
});

for (const [what, name, spoilt] of [
  ["no object", "servergroups.json", "text"],
  ["something else", "servergroups.json", { kind: "Pod" }],
  [
    "a group without a name",
    "servergroups.json",
    { kind: "APIGroupList", groups: [{ versions: [] }] },
  ],
  ["a group that is null", "servergroups.json", { kind: "APIGroupList", groups: [null] }],
  [
    "another version's resources",
    "v1/serverresources.json",
    { kind: "APIResourceList", groupVersion: "apps/v1", resources: [] },
  ],
  [
    "resources that are none",
    "v1/serverresources.json",
    { kind: "APIResourceList", groupVersion: "v1", resources: [{ name: 7 }] },
  ],
  [
    "verbs that are no list",
    "v1/serverresources.json",
    {
      kind: "APIResourceList",
      groupVersion: "v1",
      resources: [{ name: "a", kind: "A", verbs: "get" }],
    },
  ],
  ["nothing", "v1/serverresources.json", undefined],
] as const)
  test(`a cached document that is ${what} is ignored`, async () => {
    const { answer } = changingServer();
    const { cache, documents } = memoryCache();
    const { resources } = await open(answer, cache).discovery.apis();
    const good = structuredClone(documents.get(name));
    documents.set(name, spoilt);
    const { discovery, paths } = open(answer, cache);
    expect((await discovery.apis()).resources).toEqual(resources);
    expect(paths()).toEqual(["/api", "/apis"]);
    expect(documents.get(name)).toEqual(good);
  });

test("lists without items may be null in the cache, as Go writes them", async () => {
  const { cache, documents } = memoryCache();
  documents.set("servergroups.json", {
    kind: "APIGroupList",
    groups: [
      { name: "gone.example.com", versions: null, preferredVersion: {} },
      { name: "", versions: [{ groupVersion: "v1", version: "v1" }] },
    ],
  });
  documents.set("v1/serverresources.json", {
    kind: "APIResourceList",
    groupVersion: "v1",
    resources: [{ name: "pods", singularName: "pod", namespaced: true, kind: "Pod", verbs: null }],
  });
  const { discovery } = open(() => refused(500, "InternalError"), cache);
  expect((await discovery.apis()).resources).toMatchObject([{ plural: "pods", verbs: [] }]);
});
