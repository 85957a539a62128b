import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { VirtualClock } from "../../../base/virtual-clock.ts";
import { openServer, send, type TestRequest } from "../../in-process.test-support.ts";
import type { ApiServer } from "../../server.ts";

let server: ApiServer;
let clock: VirtualClock;
beforeEach(async () => {
  clock = new VirtualClock(Date.UTC(2026, 0, 1));
  server = await openServer(clock);
});
afterEach(() => server.close());

interface Entry {
  readonly manager: string;
  readonly operation: string;
  readonly apiVersion: string;
  readonly time?: string;
  readonly subresource?: string;
  readonly fieldsV1: unknown;
}
interface Answer {
  readonly message?: string;
  readonly metadata: {
    readonly resourceVersion: string;
    readonly managedFields?: readonly Entry[];
  };
  readonly [field: string]: unknown;
}

const configMaps = "/api/v1/namespaces/default/configmaps";

async function ask(
  request: TestRequest,
): Promise<{ status: number; body: Answer; warnings: unknown }> {
  const { status, text, headers } = await send(server, request);
  return { status, body: JSON.parse(text) as Answer, warnings: headers.warning };
}

const apply = (path: string, body: unknown) =>
  ask({
    method: "PATCH",
    path,
    headers: { "content-type": "application/apply-patch+yaml" },
    body,
  });

const configMap = (data: object, metadata: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "c", ...metadata },
  data,
});

const ownersOf = ({ metadata }: Answer) =>
  (metadata.managedFields ?? []).map(({ manager, operation, subresource }) =>
    [manager, operation, subresource].filter(Boolean).join(" "),
  );

describe("apply", () => {
  test("creates what is not there, and changes what is", async () => {
    expect((await apply(`${configMaps}/c?fieldManager=a`, configMap({ x: "1" }))).status).toBe(201);
    const { status, body } = await apply(`${configMaps}/c?fieldManager=a`, configMap({ y: "1" }));
    expect([status, body.data]).toEqual([200, { y: "1" }]);
  });

  test("the same again, later, is no new version", async () => {
    const { body: first } = await apply(`${configMaps}/c?fieldManager=a`, configMap({ x: "1" }));
    await clock.advance(60_000);
    const { body: again } = await apply(`${configMaps}/c?fieldManager=a`, configMap({ x: "1" }));
    expect(again).toEqual(first);
    const put = { ...first, metadata: { name: "c" } };
    const { body } = await ask({
      method: "PUT",
      path: `${configMaps}/c?fieldManager=b`,
      body: put,
    });
    expect(body).toEqual(first);
  });

  test("nor is what comes to the same once it is stored", async () => {
    const path = "/api/v1/namespaces/default/resourcequotas/q?fieldManager=a";
    const quota = {
      apiVersion: "v1",
      kind: "ResourceQuota",
      metadata: { name: "q" },
      spec: { hard: { cpu: "1000m" } },
    };
    const { body: first } = await apply(path, quota);
    expect(first.spec).toEqual({ hard: { cpu: "1" } });
    await clock.advance(60_000);
    expect((await apply(path, quota)).body).toEqual(first);
  });

  test("a dry run shows what would be, and is not", async () => {
    await apply(`${configMaps}/c?fieldManager=a`, configMap({ x: "1" }));
    const { body } = await apply(
      `${configMaps}/c?fieldManager=a&dryRun=All`,
      configMap({ x: "2" }),
    );
    expect(body.data).toEqual({ x: "2" });
    expect((await ask({ path: `${configMaps}/c` })).body.data).toEqual({ x: "1" });
  });

  test("is written in YAML or JSON", async () => {
    const yaml = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n  x: '1' # one\n";
    expect((await apply(`${configMaps}/c?fieldManager=a`, yaml)).body.data).toEqual({ x: "1" });
  });

  test.each([
    [
      "no manager",
      "",
      configMap({}),
      422,
      /fieldManager: Required value: is required for apply patch/,
    ],
    [
      "no YAML",
      "?fieldManager=a",
      "a: b: c",
      400,
      /^error decoding YAML: error converting YAML to JSON: yaml: /,
    ],
    [
      "no object",
      "?fieldManager=a",
      "- 1",
      400,
      "error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type map[string]interface {}",
    ],
    [
      "another kind",
      "?fieldManager=a",
      { apiVersion: "v1", kind: "Secret", metadata: { name: "c" } },
      400,
      "invalid object type: /v1, Kind=Secret",
    ],
    ["no kind", "?fieldManager=a", "", 400, "invalid object type: /, Kind="],
    [
      "managedFields",
      "?fieldManager=a",
      configMap({}, { managedFields: [] }),
      400,
      "metadata.managedFields must be nil",
    ],
    [
      "another name",
      "?fieldManager=a",
      { ...configMap({}), metadata: { name: "d" } },
      400,
      "the name of the object (d) does not match the name on the URL (c)",
    ],
    [
      "another namespace",
      "?fieldManager=a",
      configMap({}, { namespace: "other" }),
      400,
      "the namespace of the provided object does not match the namespace sent on the request",
    ],
    [
      "an unknown field",
      "?fieldManager=a",
      { ...configMap({}), bogus: 1 },
      500,
      "failed to create typed patch object (/c; /v1, Kind=ConfigMap): .bogus: field not declared in schema",
    ],
    [
      "a uid of what is not there",
      "?fieldManager=a",
      configMap({}, { uid: "u" }),
      409,
      'Operation cannot be fulfilled on configmaps "c": uid mismatch: the provided object specified uid u, and no existing object was found',
    ],
    [
      "a version of what is not there",
      "?fieldManager=a",
      configMap({}, { resourceVersion: "1" }),
      404,
      'configmaps "c" not found',
    ],
    [
      "a key twice",
      "?fieldManager=a&fieldValidation=Strict",
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {x: a, x: b}",
      400,
      /^error strict decoding YAML: .*key "x" already set in map/s,
    ],
  ])("is refused: %s", async (_, query, body, code, message) => {
    const answer = await apply(`${configMaps}/c${query}`, body);
    expect([answer.status, answer.body.message]).toEqual([
      code,
      typeof message === "string" ? message : expect.stringMatching(message),
    ]);
  });

  test("of a version that is no more the present one is a conflict", async () => {
    await apply(`${configMaps}/c?fieldManager=a`, configMap({ x: "1" }));
    const { status } = await apply(
      `${configMaps}/c?fieldManager=a`,
      configMap({ x: "2" }, { resourceVersion: "1" }),
    );
    expect(status).toBe(409);
  });

  test("what was there before is nobody's in particular, once nobody is noted", async () => {
    await ask({ method: "POST", path: configMaps, body: configMap({ x: "1", y: "1" }) });
    await ask({
      method: "PATCH",
      path: `${configMaps}/c`,
      headers: { "content-type": "application/merge-patch+json" },
      body: { metadata: { managedFields: [{}] } },
    });
    const { body } = await apply(`${configMaps}/c?fieldManager=a`, configMap({ x: "1" }));
    expect(ownersOf(body)).toEqual(["a Apply", "before-first-apply Update"]);
  });

  test("fields are followed through the versions of a kind", async () => {
    const path = (version: string) =>
      `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers/h?fieldManager=`;
    const autoscaler = (version: string, maxReplicas: number) => ({
      apiVersion: `autoscaling/${version}`,
      kind: "HorizontalPodAutoscaler",
      metadata: { name: "h" },
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" },
        maxReplicas,
      },
    });
    await apply(`${path("v1")}a`, autoscaler("v1", 3));
    const { status, body } = await apply(`${path("v2")}b`, autoscaler("v2", 4));
    expect([status, body.message]).toEqual([
      409,
      'Apply failed with 1 conflict: conflict with "a": .spec.maxReplicas',
    ]);
    const forced = await apply(`${path("v2")}b&force=true`, autoscaler("v2", 4));
    expect(
      forced.body.metadata.managedFields?.map(
        ({ manager, apiVersion }) => `${manager} ${apiVersion}`,
      ),
    ).toEqual(["a autoscaling/v1", "b autoscaling/v2"]);
    // A manager that applies in another version keeps the fields that it owned.
    const moved = await apply(`${path("v2")}a&force=true`, autoscaler("v2", 5));
    expect(ownersOf(moved.body)).toEqual(["a Apply", "b Apply"]);
  });

  test("through the status, nothing else changes and nobody owns it", async () => {
    const deployments = "/apis/apps/v1/namespaces/default/deployments";
    const deployment = (more: object) => ({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "d" },
      ...more,
    });
    const template = {
      metadata: { labels: { a: "b" } },
      spec: { containers: [{ name: "c", image: "i" }] },
    };
    await apply(
      `${deployments}/d?fieldManager=a`,
      deployment({
        spec: { selector: { matchLabels: { a: "b" } }, template },
        status: { replicas: 7 },
      }),
    );
    const { body } = await apply(
      `${deployments}/d/status?fieldManager=s`,
      deployment({ spec: { replicas: 9 }, status: { replicas: 1 } }),
    );
    expect([body.spec, body.status]).toMatchObject([{ replicas: 1 }, { replicas: 1 }]);
    expect(body.metadata.managedFields?.find(({ manager }) => manager === "s")).toMatchObject({
      subresource: "status",
      fieldsV1: { "f:status": { "f:replicas": {} } },
    });
  });

  test("who resizes a pod comes to own the resources, and nothing else", async () => {
    const pods = "/api/v1/namespaces/default/pods";
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p" },
      spec: { containers: [{ name: "c", image: "i", resources: { limits: { cpu: "2" } } }] },
    };
    await ask({ method: "POST", path: pods, body: pod });
    const { status, body } = await ask({
      method: "PATCH",
      path: `${pods}/p/resize?fieldManager=r`,
      headers: { "content-type": "application/strategic-merge-patch+json" },
      body: {
        metadata: { labels: { a: "b" } },
        spec: {
          containers: [{ name: "c", resources: { limits: { cpu: "3" }, requests: { cpu: "3" } } }],
        },
      },
    });
    expect(status).toBe(200);
    expect(body.metadata.managedFields?.find(({ manager }) => manager === "r")).toMatchObject({
      subresource: "resize",
      fieldsV1: {
        "f:spec": {
          "f:containers": {
            'k:{"name":"c"}': {
              "f:resources": { "f:limits": { "f:cpu": {} }, "f:requests": { "f:cpu": {} } },
            },
          },
        },
      },
    });
    expect(JSON.stringify(body.metadata.managedFields)).not.toContain("f:labels");
  });

  test("two who apply at once both succeed", async () => {
    const managers = Array.from({ length: 8 }, (_, i) => `m${i}`);
    const answers = await Promise.all(
      managers.map((name) =>
        apply(`${configMaps}/c?fieldManager=${name}`, configMap({ [name]: "1" })),
      ),
    );
    expect(answers.map(({ status }) => status).filter((status) => status >= 400)).toEqual([]);
    const { body } = await ask({ path: `${configMaps}/c` });
    expect(ownersOf(body)).toEqual(managers.map((name) => `${name} Apply`));
  });
});

test("managedFields name the manager, or the beginning of the user agent", async () => {
  const agents = [
    ["", undefined, "unknown"],
    ["?fieldManager=me", "kubectl/1.36", "me"],
    ["", "kubectl/1.36 (linux)", "kubectl"],
    ["", "a\u0007b\u200bc", "abc"],
    ["", "x".repeat(200), "x".repeat(128)],
  ] as const;
  for (const [index, [query, agent, manager]] of agents.entries()) {
    const { body } = await ask({
      method: "POST",
      path: `${configMaps}${query}`,
      headers: { "user-agent": agent ?? null },
      body: { ...configMap({ x: "1" }), metadata: { name: `c${index}` } },
    });
    expect(ownersOf(body)).toEqual([`${manager} Update`]);
  }
});

test("owners that stand there twice are dropped, with a warning", async () => {
  const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u" };
  const warned = (after: string) =>
    `299 - ".metadata.ownerReferences contains duplicate entries${after}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: u"`;
  const body = configMap({}, { ownerReferences: [owner, { ...owner, name: "q" }, owner] });
  const created = await ask({ method: "POST", path: configMaps, body });
  expect([created.warnings].flat()).toEqual([warned("")]);
  expect(created.body.metadata).toMatchObject({
    ownerReferences: [owner, { ...owner, name: "q" }],
  });
  const patched = await ask({
    method: "PATCH",
    path: `${configMaps}/c`,
    headers: { "content-type": "application/merge-patch+json" },
    body: { metadata: { ownerReferences: [owner, owner] } },
  });
  expect([patched.warnings].flat()).toEqual([warned(" after mutating admission happens")]);
});
