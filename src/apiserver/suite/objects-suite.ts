import { expect } from "vitest";
import {
  configMap,
  configMaps,
  failure,
  names,
  pod,
  pods,
  type SuiteTest,
} from "./harness-suite.ts";

/** What can be done with one object. */
export function objectsSuite(test: SuiteTest): void {
  test("a created object can be read and listed", async (api) => {
    const created = await api.create(configMaps, configMap("a", { data: { k: "v" } }));
    const { uid, resourceVersion } = created.metadata;
    expect(created).toEqual({
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: {
        name: "a",
        namespace: "default",
        uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        resourceVersion: expect.stringMatching(/^\d+$/),
        creationTimestamp: "2026-01-01T00:00:00Z",
        managedFields: [
          {
            manager: expect.any(String),
            operation: "Update",
            apiVersion: "v1",
            time: "2026-01-01T00:00:00Z",
            fieldsType: "FieldsV1",
            fieldsV1: { "f:data": { ".": {}, "f:k": {} } },
          },
        ],
      },
      data: { k: "v" },
    });
    expect(await api.read(`${configMaps}/a`)).toEqual(created);
    const inDefault = "fieldSelector=metadata.namespace%3Ddefault";
    for (const path of [configMaps, `/api/v1/configmaps?${inDefault}`])
      expect(await api.read(path)).toEqual({
        kind: "ConfigMapList",
        apiVersion: "v1",
        metadata: { resourceVersion },
        items: [{ metadata: { ...created.metadata, uid }, data: { k: "v" } }],
      });
  });

  test("a missing object is NotFound", async (api) => {
    const missing = [404, "NotFound", 'configmaps "none" not found'];
    const path = `${configMaps}/none`;
    expect([
      failure(await api.get(path)),
      failure(await api.put(path, configMap("none"))),
      failure(await api.patch(path, "merge-patch", {})),
      failure(await api.delete(path)),
    ]).toEqual([missing, missing, missing, missing]);
  });

  test("a name can be created once", async (api) => {
    await api.create(configMaps, configMap("a"));
    const answer = await api.post(configMaps, configMap("a"));
    expect(answer.body).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: 'configmaps "a" already exists',
      reason: "AlreadyExists",
      details: { name: "a", kind: "configmaps" },
      code: 409,
    });
  });

  test("an update replaces the object and keeps its identity", async (api) => {
    const first = await api.create(configMaps, configMap("a", { data: { k: "1", l: "1" } }));
    const second = await api.replace(`${configMaps}/a`, configMap("a", { data: { k: "2" } }));
    const { uid, creationTimestamp } = first.metadata;
    expect(second).toMatchObject({ metadata: { uid, creationTimestamp }, data: { k: "2" } });
    expect(Number(second.metadata.resourceVersion)).toBeGreaterThan(
      Number(first.metadata.resourceVersion),
    );
    expect(Object.keys(second.data)).toEqual(["k"]);
  });

  test("an update does not change fields that only the server sets", async (api) => {
    const first = await api.create(configMaps, configMap("a"));
    const metadata = {
      name: "a",
      selfLink: "/here",
      generation: 9,
      creationTimestamp: "2000-01-01T00:00:00Z",
      deletionTimestamp: "2000-01-01T00:00:00Z",
    };
    const { metadata: kept } = await api.replace(`${configMaps}/a`, {
      ...configMap("a", { data: { k: "v" } }),
      metadata: { ...metadata, deletionTimestamp: undefined },
    });
    const { resourceVersion } = kept;
    expect(kept).toEqual({ ...first.metadata, resourceVersion });
    const ended = await api.put(`${configMaps}/a`, { ...configMap("a"), metadata });
    expect(failure(ended)).toEqual([
      422,
      "Invalid",
      'ConfigMap "a" is invalid: metadata.deletionTimestamp: Invalid value: "2000-01-01T00:00:00Z": field is immutable',
    ]);
  });

  test("an update that changes nothing makes no new resourceVersion", async (api) => {
    const first = await api.create(configMaps, configMap("a", { data: { k: "1" } }));
    expect(await api.replace(`${configMaps}/a`, first)).toEqual(first);
    const patched = await api.patch(`${configMaps}/a`, "merge-patch", { data: { k: "1" } });
    expect(patched.body).toEqual(first);
  });

  test("an update with an old resourceVersion is a conflict", async (api) => {
    const first = await api.create(configMaps, configMap("a"));
    await api.replace(`${configMaps}/a`, configMap("a", { data: { k: "1" } }));
    const stale = await api.put(`${configMaps}/a`, first);
    expect(stale.body).toMatchObject({
      code: 409,
      reason: "Conflict",
      message:
        'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
      details: { name: "a", kind: "configmaps" },
    });
    const { resourceVersion } = first.metadata;
    const patch = await api.patch(`${configMaps}/a`, "merge-patch", {
      metadata: { resourceVersion },
    });
    expect(failure(patch)).toEqual(failure(stale));
  });

  test("an update with another uid is a conflict", async (api) => {
    const { metadata } = await api.create(configMaps, configMap("a"));
    const answer = await api.put(`${configMaps}/a`, {
      ...configMap("a"),
      metadata: { name: "a", uid: "other" },
    });
    expect(failure(answer)).toEqual([
      409,
      "Conflict",
      `Operation cannot be fulfilled on configmaps "a": StorageError: invalid object, Code: 4, Key: /registry/configmaps/default/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: other, UID in object meta: ${metadata.uid}`,
    ]);
  });

  test("the name in the object must be the name in the path", async (api) => {
    await api.create(configMaps, configMap("a"));
    expect(failure(await api.put(`${configMaps}/a`, configMap("b")))).toEqual([
      400,
      "BadRequest",
      "the name of the object (b) does not match the name on the URL (a)",
    ]);
  });

  test("a merge patch changes what it names and removes what it sets to null", async (api) => {
    await api.create(configMaps, configMap("a", { data: { k: "1", l: "1", m: "1" } }));
    const { body } = await api.patch(`${configMaps}/a`, "merge-patch", {
      data: { k: "2", l: null },
    });
    expect(body.data).toEqual({ k: "2", m: "1" });
  });

  test("a JSON patch is applied as a whole or not at all", async (api) => {
    await api.create(configMaps, configMap("a", { data: { k: "1", l: "1" } }));
    const good = await api.patch(`${configMaps}/a`, "json-patch", [
      { op: "test", path: "/data/k", value: "1" },
      { op: "replace", path: "/data/k", value: "2" },
      { op: "remove", path: "/data/l" },
      { op: "add", path: "/metadata/annotations", value: { "example.com/a": "1" } },
      { op: "replace", path: "/metadata/annotations/example.com~1a", value: "2" },
    ]);
    expect([good.body.data, good.body.metadata.annotations]).toEqual([
      { k: "2" },
      { "example.com/a": "2" },
    ]);
    const bad = await api.patch(`${configMaps}/a`, "json-patch", [
      { op: "replace", path: "/data/k", value: "3" },
      { op: "test", path: "/data/k", value: "1" },
    ]);
    expect([bad.status, bad.body.reason]).toEqual([422, "Invalid"]);
    expect(await api.read(`${configMaps}/a`)).toEqual(good.body);
  });

  test("an update keeps the status, an update of the status keeps the rest", async (api) => {
    const created = await api.create(pods, pod("a"));
    expect(created.status).toEqual({ phase: "Pending", qosClass: "BestEffort" });
    const running = {
      ...created,
      metadata: { ...created.metadata, labels: { x: "y" } },
      spec: { ...created.spec, containers: [{ name: "other", image: "j" }] },
      status: { phase: "Running", qosClass: "BestEffort" },
    };
    const updated = await api.replace(`${pods}/a/status`, running);
    expect([updated.status, updated.spec]).toEqual([
      { phase: "Running", qosClass: "BestEffort" },
      created.spec,
    ]);
    const { resourceVersion } = updated.metadata;
    const kept = await api.replace(`${pods}/a`, {
      ...created,
      metadata: { ...created.metadata, resourceVersion, labels: { l: "m" } },
    });
    expect([kept.status, kept.metadata.labels]).toEqual([
      { phase: "Running", qosClass: "BestEffort" },
      { l: "m" },
    ]);
  });

  test("the status can be patched and read by itself", async (api) => {
    await api.create(pods, pod("a"));
    const patched = await api.patch(`${pods}/a/status`, "merge-patch", {
      status: { phase: "Failed" },
      spec: { nodeName: "n" },
    });
    expect([patched.status, patched.body.status, patched.body.spec.nodeName]).toEqual([
      200,
      { phase: "Failed", qosClass: "BestEffort" },
      undefined,
    ]);
    expect(await api.read(`${pods}/a/status`)).toEqual(await api.read(`${pods}/a`));
  });

  test("a generated name has the prefix and five letters", async (api) => {
    const generated = { ...configMap(""), metadata: { generateName: "web-" } };
    const created = [
      await api.create(configMaps, generated),
      await api.create(configMaps, generated),
    ];
    const [first = "", second = ""] = created.map(({ metadata }) => metadata.name);
    for (const name of [first, second]) expect(name).toMatch(/^web-[b-df-hj-np-tv-xz2456789]{5}$/);
    expect(first).not.toEqual(second);
  });

  test("an object without a name or with an invalid one is rejected", async (api) => {
    expect([
      failure(await api.post(configMaps, { kind: "ConfigMap", apiVersion: "v1", metadata: {} })),
      failure(await api.post(configMaps, configMap("A_b"))),
    ]).toEqual([
      [
        422,
        "Invalid",
        'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
      ],
      [
        422,
        "Invalid",
        `ConfigMap "A_b" is invalid: metadata.name: Invalid value: "A_b": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
      ],
    ]);
  });

  test("a dry run responds as the real request would, and stores nothing", async (api) => {
    const dry = await api.post(`${configMaps}?dryRun=All`, configMap("a"));
    expect([dry.status, dry.body.metadata.name, dry.body.metadata.resourceVersion]).toEqual([
      201,
      "a",
      undefined,
    ]);
    const kept = await api.create(configMaps, configMap("b", { data: { k: "1" } }));
    const changes = [
      await api.put(`${configMaps}/b?dryRun=All`, configMap("b", { data: { k: "2" } })),
      await api.call("PATCH", `${configMaps}/b?dryRun=All`, {
        body: { data: { k: "3" } },
        headers: { "content-type": "application/merge-patch+json" },
      }),
    ];
    expect(changes.map(({ status, body }) => [status, body.data])).toEqual([
      [200, { k: "2" }],
      [200, { k: "3" }],
    ]);
    expect((await api.delete(`${configMaps}/b?dryRun=All`)).status).toEqual(200);
    expect((await api.delete(`${configMaps}/b`, { dryRun: ["All"] })).status).toEqual(200);
    expect((await api.delete(`${configMaps}?dryRun=All`)).status).toEqual(200);
    const taken = await api.post(`${configMaps}?dryRun=All`, configMap("b"));
    expect([taken.status, taken.body.reason]).toEqual([409, "AlreadyExists"]);
    expect(names(await api.read(configMaps))).toEqual(["b"]);
    expect(await api.read(`${configMaps}/b`)).toEqual(kept);
    expect(failure(await api.post(`${configMaps}?dryRun=some`, configMap("c")))).toEqual([
      422,
      "Invalid",
      'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["some"]: supported values: "All"',
    ]);
  });

  test("unknown fields cause a warning, an error or nothing, as the client requests", async (api) => {
    const body = '{"metadata":{"name":"a"},"data":{"k":"1","k":"2"},"dato":{}}';
    const post = async (query: string) => {
      const { status, headers, body: answer } = await api.post(`${configMaps}${query}`, body);
      return [status, headers.warning, answer.message];
    };
    expect([
      await post("?fieldValidation=Strict&dryRun=All"),
      await post("?fieldValidation=Ignore&dryRun=All"),
      await post("?dryRun=All"),
    ]).toEqual([
      [
        400,
        undefined,
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: duplicate field "data.k", unknown field "dato"',
      ],
      [201, undefined, undefined],
      [201, '299 - "duplicate field \\"data.k\\"", 299 - "unknown field \\"dato\\""', undefined],
    ]);
  });
}
