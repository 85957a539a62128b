import { expect } from "vitest";
import { configMap, configMaps, failure, pod, pods, type SuiteTest } from "./harness-suite.ts";

const table = { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" };
const partial = (as: string) => ({ accept: `application/json;as=${as};g=meta.k8s.io;v=v1` });
const protobuf = "application/vnd.kubernetes.protobuf";

/** What is served in other forms, and what is not an object. */
export function documentsSuite(test: SuiteTest): void {
  test("objects and lists are served as tables", async (api) => {
    await api.create(configMaps, configMap("a", { data: { k: "v" } }));
    await api.create(configMaps, configMap("b"));
    await api.harness.clock.advance(90_000);
    const list = await api.get(configMaps, table);
    expect(list.body).toMatchObject({
      kind: "Table",
      apiVersion: "meta.k8s.io/v1",
      metadata: { resourceVersion: expect.stringMatching(/^\d+$/) },
      columnDefinitions: [{ name: "Name" }, { name: "Data" }, { name: "Age" }],
      rows: [
        {
          cells: ["a", 1, "90s"],
          object: { kind: "PartialObjectMetadata", metadata: { name: "a" } },
        },
        { cells: ["b", 0, "90s"] },
      ],
    });
    const one = await api.get(`${configMaps}/a?includeObject=Object`, table);
    expect(one.body.rows).toMatchObject([{ object: { kind: "ConfigMap", data: { k: "v" } } }]);
    const bare = await api.get(`${configMaps}/a?includeObject=None`, table);
    expect(bare.body.rows).toEqual([{ cells: ["a", 1, "90s"], object: null }]);
    const bogus = await api.get(`${configMaps}/a?includeObject=Bogus`, table);
    expect(failure(bogus)).toEqual([
      400,
      "BadRequest",
      "Unable to convert to Table as requested: includeObject: Invalid value: " +
        `"Bogus": must be 'Metadata', 'Object', 'None', or empty`,
    ]);
  });

  test("metadata is served without the rest of the object", async (api) => {
    const { metadata } = await api.create(configMaps, configMap("a", { data: { k: "v" } }));
    const item = { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata };
    const one = await api.get(`${configMaps}/a`, partial("PartialObjectMetadata"));
    expect(one.body).toEqual(item);
    const list = await api.get(configMaps, partial("PartialObjectMetadataList"));
    expect(list.body).toEqual({
      kind: "PartialObjectMetadataList",
      apiVersion: "meta.k8s.io/v1",
      metadata: { resourceVersion: metadata.resourceVersion },
      items: [item],
    });
    const none = `${configMaps}?labelSelector=none`;
    const empty = await api.get(none, partial("PartialObjectMetadataList"));
    expect(empty.body.items ?? []).toEqual([]);
  });

  test("an unknown media type is not acceptable", async (api) => {
    const asked = await api.get(configMaps, {
      accept: "application/json;as=Other;g=meta.k8s.io;v=v1",
    });
    const types = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
    expect(failure(asked)).toEqual([
      406,
      "NotAcceptable",
      `only the following media types are accepted: ${types}`,
    ]);
    expect((await api.get(configMaps, { accept: "text/html" })).status).toEqual(406);
    const sent = await api.call("POST", configMaps, {
      body: "x",
      headers: { "content-type": "text/html" },
    });
    expect(failure(sent)).toEqual([
      415,
      "UnsupportedMediaType",
      `the body of the request was in an unknown format - accepted media types include: ${types}`,
    ]);
  });

  test("an object written in YAML or protobuf can be read in JSON, and the reverse", async (api) => {
    const yaml = await api.call("POST", pods, {
      body: "metadata: {name: web}\nspec:\n  containers:\n  - {name: c, image: i}\n",
      headers: { "content-type": "application/yaml", accept: "application/yaml" },
    });
    expect([yaml.status, yaml.headers["content-type"]]).toEqual([201, "application/yaml"]);
    expect(yaml.text).toContain("\n  name: web\n");
    const bytes = await api.harness.send({
      method: "GET",
      path: `${pods}/web`,
      headers: { accept: protobuf },
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of bytes.chunks) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    expect([bytes.headers["content-type"], body.subarray(0, 4).toString("latin1")]).toEqual([
      protobuf,
      "k8s\0",
    ]);
    const stored = await api.read(`${pods}/web`);
    const put = await api.call("PUT", `${pods}/web`, {
      body,
      headers: { "content-type": protobuf },
    });
    expect([put.status, put.body]).toEqual([200, stored]);
  });

  test("a client that prefers protobuf can read the errors", async (api) => {
    const answer = await api.get(`${configMaps}/none`, { accept: `${protobuf},application/json` });
    expect([answer.status, answer.headers["content-type"], answer.text.slice(0, 4)]).toEqual([
      404,
      protobuf,
      "k8s\0",
    ]);
    expect(answer.text).toContain('configmaps "none" not found');
  });

  test("discovery lists groups, versions and resources", async (api) => {
    const [core, groups, apps, v1] = [
      await api.get("/api"),
      await api.get("/apis"),
      await api.get("/apis/apps"),
      await api.get("/api/v1"),
    ];
    expect(core.body).toMatchObject({ kind: "APIVersions", versions: ["v1"] });
    const entry = {
      name: "apps",
      versions: [{ groupVersion: "apps/v1", version: "v1" }],
      preferredVersion: { groupVersion: "apps/v1", version: "v1" },
    };
    expect(groups.body).toMatchObject({
      kind: "APIGroupList",
      groups: expect.arrayContaining([entry]),
    });
    expect(apps.body).toEqual({ kind: "APIGroup", apiVersion: "v1", ...entry });
    expect(v1.body).toMatchObject({
      kind: "APIResourceList",
      groupVersion: "v1",
      resources: expect.arrayContaining([
        expect.objectContaining({
          name: "pods",
          singularName: "pod",
          namespaced: true,
          kind: "Pod",
          shortNames: ["po"],
          verbs: expect.arrayContaining(["create", "watch"]),
        }),
        expect.objectContaining({ name: "pods/status", verbs: ["get", "patch", "update"] }),
      ]),
    });
  });

  test("discovery is served as one document on request", async (api) => {
    const accept =
      "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
    const { headers, body } = await api.get("/apis", { accept });
    expect([headers["content-type"], body.kind, body.apiVersion]).toEqual([
      "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
      "APIGroupDiscoveryList",
      "apidiscovery.k8s.io/v2",
    ]);
    expect(body.items.find(({ metadata }) => metadata.name === "apps")).toMatchObject({
      versions: [
        {
          version: "v1",
          resources: expect.arrayContaining([
            expect.objectContaining({
              resource: "deployments",
              responseKind: expect.objectContaining({ kind: "Deployment" }),
              scope: "Namespaced",
            }),
          ]),
        },
      ],
    });
  });

  test("only version and health are served to anonymous clients", async (api) => {
    const anonymous = (path: string) => api.call("GET", path, { anonymous: true });
    expect((await anonymous("/version")).body).toMatchObject({ major: "1", minor: "36" });
    for (const path of ["/healthz", "/livez", "/readyz"]) {
      const { status, text, headers } = await anonymous(path);
      expect([path, status, text, headers["content-type"]]).toEqual([
        path,
        200,
        "ok",
        "text/plain; charset=utf-8",
      ]);
    }
    expect((await api.get("/readyz/etcd")).text).toEqual("ok");
    expect((await anonymous("/readyz?verbose")).text).toMatch(
      /^(\[\+\]\S+ ok\n)+readyz check passed\n$/,
    );
    expect([
      failure(await anonymous("/api")),
      failure(await anonymous(`${configMaps}/a`)),
      failure(await anonymous("/apis/apps/v1/deployments")),
    ]).toEqual([
      [403, "Forbidden", 'forbidden: User "system:anonymous" cannot get path "/api"'],
      [
        403,
        "Forbidden",
        'configmaps "a" is forbidden: User "system:anonymous" cannot get resource "configmaps" in API group "" in the namespace "default"',
      ],
      [
        403,
        "Forbidden",
        'deployments.apps is forbidden: User "system:anonymous" cannot list resource "deployments" in API group "apps" at the cluster scope',
      ],
    ]);
  });

  test("OpenAPI is served in both versions", async (api) => {
    const [v2, root, v1] = [
      await api.get("/openapi/v2"),
      await api.get("/openapi/v3"),
      await api.get("/openapi/v3/api/v1"),
    ];
    expect([v2.status, v2.body]).toMatchObject([200, { swagger: "2.0" }]);
    // Upstream's tests of the command line look for these.
    for (const phrase of [
      "list of returned",
      "List of services",
      "Watch for changes to the described resources",
    ])
      expect(JSON.stringify(v2.body)).toContain(phrase);
    expect(root.body).toMatchObject({
      paths: {
        "api/v1": { serverRelativeURL: expect.stringContaining("/openapi/v3/api/v1?hash=") },
      },
    });
    expect(v1.body).toMatchObject({
      openapi: "3.0.0",
      components: { schemas: { "io.k8s.api.core.v1.Pod": { type: "object" } } },
    });
  });

  test("each warning is a header of its own", async (api) => {
    const { status, headers } = await api.post(pods, {
      ...pod("a"),
      spec: { containers: [{ name: "c", image: "i", env: [{ name: "E" }, { name: "E" }] }] },
    });
    expect([status, headers.warning]).toEqual([
      201,
      expect.stringContaining(
        '299 - "spec.containers[0].env[1]: hides previous definition of \\"E\\"',
      ),
    ]);
  });

  test("a method that the resource does not support is rejected", async (api) => {
    const refused = [
      405,
      "MethodNotAllowed",
      "the server does not allow this method on the requested resource",
    ];
    expect([
      failure(await api.put(configMaps, {})),
      failure(await api.post(`${configMaps}/a`, {})),
      failure(await api.call("OPTIONS", configMaps)),
      failure(await api.delete(`${pods}/a/status`)),
      failure(await api.post("/api/v1/watch/pods", {})),
      failure(await api.post("/api/v1", {})),
      failure(await api.post("/apis/apps/v1", {})),
    ]).toEqual(new Array(7).fill(refused));
    const seen = await api.get(`${configMaps}/a?export=true`);
    expect(seen.body.message).toMatch(/^the export parameter, .*, is no longer supported$/);
  });

  test("an unknown resource of a known group is a NotFound Status, and other unknown paths are 404", async (api) => {
    const missing = "the server could not find the requested resource";
    for (const path of ["/api/v1/bindings", "/api/v1/watch/bindings", "/apis/apps/v9/things"])
      expect(failure(await api.get(path))).toEqual([404, "NotFound", missing]);
    const others = ["/apis/none.io/v1", "/apis/none.io/v1/things", "/livez/", "/metrics/"];
    for (const path of others) expect((await api.get(path)).status).toEqual(404);
  });

  test("discovery, version and logs do not accept ranges of media types; the index is always JSON", async (api) => {
    const some = { accept: "application/*" };
    for (const path of ["/api", "/api/v1", "/apis/apps/v1", "/version", `${pods}/a/log`])
      expect(failure(await api.get(path, some))).toEqual([
        406,
        "NotAcceptable",
        expect.stringMatching(/^406: Not Acceptable\n\nAvailable representations: /),
      ]);
    const index = await api.get("/", { accept: "text/plain" });
    expect([index.status, index.headers["content-type"]]).toEqual([200, "application/json"]);
  });
}
