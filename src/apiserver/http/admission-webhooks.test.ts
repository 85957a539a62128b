import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import {
  type Answer,
  type Decision,
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

const maps = "/api/v1/namespaces/default/configmaps";
const mapNamed = (name: string, more: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  ...more,
});
const create = (name: string, more: object = {}, query = "") =>
  world.ask({ method: "POST", path: maps + query, body: mapNamed(name, more) });
const messageOf = ({ body }: Answer): string => body.message;
const all = { operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"] };

/** Registers a validating webhook that allows everything, and returns the requests that it gets. */
async function record(fields: object = {}, decision: Decision = { allowed: true }) {
  const requests: Reviewed[] = [];
  world.webhooks.set("record", (request) => {
    requests.push(request);
    return decision;
  });
  await world.configure("Validating", "record", [{ name: "record", ...fields }]);
  return requests;
}

describe("what webhooks decide", () => {
  test("a validating webhook denies a creation, with its code, its reason and its words", async () => {
    world.webhooks.set("deny", ({ object }) => ({
      allowed: object.data?.bad === undefined,
      status: { message: "this is bad", reason: "Forbidden", code: 403, details: { name: "x" } },
    }));
    await world.configure("Validating", "a", [{ name: "deny" }]);
    expect((await create("good")).status).toBe(201);
    expect(await create("bad", { data: { bad: "yes" } })).toMatchObject({
      status: 403,
      body: {
        kind: "Status",
        status: "Failure",
        message: 'admission webhook "deny.w.io" denied the request: this is bad',
        reason: "Forbidden",
        details: { name: "x" },
        code: 403,
      },
    });
    expect((await world.ask({ path: `${maps}/bad` })).status).toBe(404);
  });

  test("mutating webhooks are called by the names of configurations, then in order", async () => {
    const append = (text: string) => (request: Reviewed) =>
      patching({ op: "add", path: "/data/a", value: request.object.data.a + text });
    for (const name of ["1", "2", "3"]) world.webhooks.set(name, append(name));
    await world.configure("Mutating", "b", [{ name: "3" }]);
    await world.configure("Mutating", "a", [{ name: "1" }, { name: "2" }]);
    expect(await create("m", { data: { a: "0" } })).toMatchObject({
      status: 201,
      body: { data: { a: "0123" } },
    });
  });

  test("validating webhooks see what mutating ones made, and defaults after it", async () => {
    world.webhooks.set("add", () =>
      patching({ op: "add", path: "/spec/ports/-", value: { name: "b", port: 2 } }),
    );
    await world.configure("Mutating", "a", [{ name: "add", rules: [writes("services")] }]);
    const requests = await record({ rules: [writes("services")] });
    const metadata = { name: "s" };
    const body = {
      apiVersion: "v1",
      kind: "Service",
      metadata,
      spec: { ports: [{ name: "a", port: 1 }] },
    };
    const path = "/api/v1/namespaces/default/services";
    expect((await world.ask({ method: "POST", path, body })).body.spec.ports).toMatchObject([
      { name: "a" },
      { name: "b", protocol: "TCP", targetPort: 2 },
    ]);
    expect(requests[0]?.object.spec.ports[1]).toMatchObject({ protocol: "TCP", targetPort: 2 });
    expect(requests[0]?.object.spec.clusterIP).toMatch(/^10\./);
  });

  test("what a mutating webhook makes is validated, and managed fields that it spoils are kept", async () => {
    world.webhooks.set("name", () => patching({ op: "add", path: "/data", value: { "a b": "" } }));
    world.webhooks.set("fields", () =>
      patching({ op: "replace", path: "/metadata/managedFields/0/operation", value: "Nope" }),
    );
    await world.configure("Mutating", "a", [
      { name: "name", objectSelector: { matchLabels: { a: "name" } } },
      { name: "fields", objectSelector: { matchLabels: { a: "fields" } } },
    ]);
    const labelled = (name: string) => create(name, { metadata: { name, labels: { a: name } } });
    expect(messageOf(await labelled("name"))).toMatch(
      /^ConfigMap "name" is invalid: data\[a b\]: Invalid value: "a b": a valid config key/,
    );
    const answer = await labelled("fields");
    expect(answer.body.metadata.managedFields).toMatchObject([{ operation: "Update" }]);
    expect(answer.headers.warning).toEqual([
      expect.stringMatching(/^299 - "\.metadata\.managedFields was in an invalid state/),
    ]);
  });

  test("webhooks that undo each other end after the second run", async () => {
    const turn = (value: string) => () => patching({ op: "add", path: "/data/a", value });
    world.webhooks.set("on", turn("on"));
    world.webhooks.set("off", turn("off"));
    const reinvocationPolicy = "IfNeeded";
    await world.configure("Mutating", "a", [
      { name: "on", reinvocationPolicy },
      { name: "off", reinvocationPolicy },
    ]);
    const calls: string[] = [];
    for (const [name, decide] of [...world.webhooks])
      world.webhooks.set(name, (...given) => {
        calls.push(name);
        return decide(...given);
      });
    expect((await create("m", { data: { b: "" } })).body.data).toEqual({ a: "off", b: "" });
    expect(calls).toEqual(["on", "off", "on", "off"]);
  });

  test("warnings of webhooks come in headers", async () => {
    await record({}, { allowed: true, warnings: ["mind this", "mind that"] });
    expect((await create("m")).headers.warning).toEqual(['299 - "mind this"', '299 - "mind that"']);
  });
});

describe("which requests webhooks see", () => {
  test("their own configurations they never see", async () => {
    const requests = await record({ rules: [all] }, { allowed: false });
    await world.configure("Mutating", "other", [{ name: "other" }]);
    const path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/record";
    expect((await world.ask({ method: "DELETE", path })).status).toBe(200);
    expect(requests).toEqual([]);
    expect((await create("m")).status).toBe(500);
  });

  test("a change of a configuration counts at once", async () => {
    const requests = await record();
    await create("a");
    const path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/record";
    const value = ["UPDATE"];
    const body = [{ op: "replace", path: "/webhooks/0/rules/0/operations", value }];
    const headers = { "content-type": "application/json-patch+json" };
    expect((await world.ask({ method: "PATCH", path, headers, body })).status).toBe(200);
    await create("b");
    expect(requests.map(({ name }) => name)).toEqual(["a"]);
  });

  test("a deletion, and each of a collection, which has no name", async () => {
    const requests = await record({ rules: [{ ...all, operations: ["DELETE"] }] });
    for (const name of ["a", "b", "c"]) await create(name);
    await world.ask({ method: "DELETE", path: `${maps}/a?gracePeriodSeconds=5` });
    await world.ask({ method: "DELETE", path: maps });
    const options = { kind: "DeleteOptions", apiVersion: "meta.k8s.io/v1" };
    expect(requests).toMatchObject([
      {
        operation: "DELETE",
        name: "a",
        namespace: "default",
        object: null,
        oldObject: { kind: "ConfigMap", metadata: { name: "a" } },
        options: { ...options, gracePeriodSeconds: 5 },
      },
      { oldObject: { metadata: { name: "b" } }, options },
      { oldObject: { metadata: { name: "c" } }, options },
    ]);
    expect(requests[1]).not.toHaveProperty("name");
  });

  test("a patch is an update with the object before it, and its options are those of an update", async () => {
    const requests = await record();
    await create("a");
    const headers = { "content-type": "application/merge-patch+json" };
    const path = `${maps}/a?fieldManager=me&dryRun=All`;
    await world.ask({ method: "PATCH", path, headers, body: { data: { a: "1" } } });
    expect(requests[1]).toMatchObject({
      operation: "UPDATE",
      name: "a",
      object: { data: { a: "1" } },
      oldObject: { metadata: { name: "a" } },
      dryRun: true,
      options: { kind: "UpdateOptions", fieldManager: "me", dryRun: ["All"] },
    });
    expect(requests[1]?.oldObject).not.toHaveProperty("data");
  });

  test("a Scale, a status and an eviction through their subresources", async () => {
    const requests = await record({ rules: [{ ...all, operations: ["CREATE", "UPDATE"] }] });
    const labels = { a: "b" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
    const path = "/apis/apps/v1/namespaces/default/replicasets";
    const spec = { selector: { matchLabels: labels }, template };
    const set = { apiVersion: "apps/v1", kind: "ReplicaSet", metadata: { name: "r" }, spec };
    await world.ask({ method: "POST", path, body: set });
    const headers = { "content-type": "application/merge-patch+json" };
    const patch = (subresource: string, body: object) =>
      world.ask({ method: "PATCH", path: `${path}/r/${subresource}`, headers, body });
    await patch("scale", { spec: { replicas: 3 } });
    await patch("status", { status: { replicas: 1 } });
    expect(requests.slice(1)).toMatchObject([
      {
        kind: { group: "autoscaling", version: "v1", kind: "Scale" },
        resource: { group: "apps", version: "v1", resource: "replicasets" },
        subResource: "scale",
        object: { kind: "Scale", apiVersion: "autoscaling/v1", spec: { replicas: 3 } },
        oldObject: { kind: "Scale", spec: { replicas: 1 } },
      },
      {
        kind: { group: "apps", version: "v1", kind: "ReplicaSet" },
        subResource: "status",
        object: { status: { replicas: 1 } },
      },
    ]);
  });

  test("a mutating webhook changes a Scale", async () => {
    world.webhooks.set("two", () => patching({ op: "replace", path: "/spec/replicas", value: 2 }));
    const rule = writes("replicasets/scale", { apiGroups: ["apps"] });
    await world.configure("Mutating", "a", [{ name: "two", rules: [rule] }]);
    const labels = { a: "b" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
    const path = "/apis/apps/v1/namespaces/default/replicasets";
    const spec = { selector: { matchLabels: labels }, template };
    const set = { apiVersion: "apps/v1", kind: "ReplicaSet", metadata: { name: "r" }, spec };
    await world.ask({ method: "POST", path, body: set });
    const headers = { "content-type": "application/merge-patch+json" };
    const body = { spec: { replicas: 7 } };
    await world.ask({ method: "PATCH", path: `${path}/r/scale`, headers, body });
    expect((await world.ask({ path: `${path}/r` })).body.spec.replicas).toBe(2);
  });

  test("an equivalent resource, in the version that the rules name", async () => {
    const rules = [writes("horizontalpodautoscalers", { apiGroups: ["autoscaling"] })];
    const requests = await record({ rules });
    const path = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";
    const target = {
      resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 7 } },
    };
    const scaleTargetRef = { kind: "Deployment", name: "d", apiVersion: "apps/v1" };
    const body = {
      apiVersion: "autoscaling/v2",
      kind: "HorizontalPodAutoscaler",
      metadata: { name: "h" },
      spec: { maxReplicas: 3, scaleTargetRef, metrics: [{ type: "Resource", ...target }] },
    };
    expect((await world.ask({ method: "POST", path, body })).status).toBe(201);
    expect(requests).toMatchObject([
      {
        kind: { group: "autoscaling", version: "v1", kind: "HorizontalPodAutoscaler" },
        requestKind: { group: "autoscaling", version: "v2", kind: "HorizontalPodAutoscaler" },
        object: { apiVersion: "autoscaling/v1", spec: { targetCPUUtilizationPercentage: 7 } },
      },
    ]);
    world.webhooks.set("most", () =>
      patching({ op: "replace", path: "/spec/maxReplicas", value: 9 }),
    );
    await world.configure("Mutating", "a", [{ name: "most", rules }]);
    const other = { ...body, metadata: { name: "i" } };
    expect((await world.ask({ method: "POST", path, body: other })).body).toMatchObject({
      apiVersion: "autoscaling/v2",
      spec: { maxReplicas: 9, metrics: [target] },
    });
  });

  each<[what: string, fields: object, seen: string[]]>([
    ["labels of the object", { objectSelector: { matchLabels: { a: "1" } } }, ["a"]],
    [
      "labels of the namespace",
      { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "other" } } },
      [],
    ],
    [
      "match conditions",
      { matchConditions: [{ name: "b", expression: "object.metadata.name == 'b'" }] },
      ["b"],
    ],
    [
      "rights",
      {
        matchConditions: [
          {
            name: "n",
            expression:
              "!authorizer.group('').resource('configmaps').check('breakglass').allowed()",
          },
        ],
      },
      [],
    ],
  ])("only some, by %s", async (_, fields, seen) => {
    const requests = await record(fields);
    await create("a", { metadata: { name: "a", labels: { a: "1" } } });
    await create("b");
    expect(requests.map(({ name }) => name)).toEqual(seen);
  });

  test("conditions that fail reject the request, unless failures are ignored", async () => {
    const matchConditions = [{ name: "n", expression: "object.nope == 1" }];
    await record({ matchConditions, failurePolicy: "Fail" });
    expect(await create("a")).toMatchObject({
      status: 403,
      body: {
        message: `configmaps "a" is forbidden: expression 'object.nope == 1' resulted in error: no such key: nope`,
      },
    });
  });
});

describe("webhooks that fail", () => {
  const failed = (why: string) =>
    `Internal error occurred: failed calling webhook "bad.w.io": ${why}`;

  each<[what: string, response: object | string, why: string]>([
    ["no review", "{}", "received invalid webhook response: webhook response was absent"],
    [
      "no JSON",
      "hello",
      'failed to call webhook: couldn\'t get version/kind; json parse error: json: cannot unmarshal string into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }',
    ],
    [
      "the uid of another request",
      { uid: "x", allowed: true },
      'received invalid webhook response: expected response.uid="UID", got "x"',
    ],
    [
      "a patch of a validating webhook",
      patching({ op: "test", path: "" }),
      "received invalid webhook response: validating webhook may not return response.patch",
    ],
    [
      "a text that should be a boolean",
      '{"response":{"allowed":"yes"}}',
      "failed to call webhook: json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool",
    ],
  ])("%s is an error", async (_, response, why) => {
    let uid = "";
    world.webhooks.set("bad", (request) => {
      ({ uid } = request);
      return response;
    });
    await world.configure("Validating", "a", [{ name: "bad" }]);
    const answer = await create("m");
    expect(answer).toMatchObject({ status: 500, body: { reason: "InternalError" } });
    expect(messageOf(answer)).toBe(failed(why).replace("UID", uid));
  });

  test("a failure is ignored by failurePolicy Ignore, and so is a refused connection", async () => {
    world.webhooks.set("bad", () => "{}");
    const url = "https://127.0.0.1:1";
    await world.configure("Validating", "a", [
      { name: "bad", failurePolicy: "Ignore" },
      { name: "gone", failurePolicy: "Ignore", clientConfig: { url, caBundle: world.ca } },
    ]);
    expect((await create("m")).status).toBe(201);
    await world.configure("Mutating", "b", [
      { name: "gone", clientConfig: { url, caBundle: world.ca } },
    ]);
    expect(messageOf(await create("n"))).toBe(
      'Internal error occurred: failed calling webhook "gone.w.io": failed to call webhook: Post "https://127.0.0.1:1/?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused',
    );
  });

  test("a webhook that is slow fails after its timeout, and nobody else waits for it", async () => {
    let release = (): void => {};
    const released = new Promise<Decision>((resolve) => {
      release = () => resolve({ allowed: true });
    });
    world.webhooks.set("slow", () => released);
    const slow = { name: "slow", timeoutSeconds: 1 };
    await world.configure("Validating", "a", [
      { ...slow, objectSelector: { matchLabels: { a: "slow" } } },
    ]);
    const waiting = create("m", { metadata: { name: "m", labels: { a: "slow" } } });
    expect((await create("n")).status).toBe(201);
    expect(messageOf(await waiting)).toBe(
      `Internal error occurred: failed calling webhook "slow.w.io": failed to call webhook: Post "https://127.0.0.1:${world.port}/slow?timeout=1s": context deadline exceeded`,
    );
    release();
  });

  test("a patch that does not apply is an error, whatever the failurePolicy", async () => {
    world.webhooks.set("bad", () => patching({ op: "remove", path: "/data/none" }));
    await world.configure("Mutating", "a", [{ name: "bad", failurePolicy: "Ignore" }]);
    expect(messageOf(await create("m", { data: { a: "" } }))).toBe(
      "Internal error occurred: error in remove for path: '/data/none': Unable to remove nonexistent key: none: missing value",
    );
  });

  each<[what: string, response: Decision, message: string]>([
    [
      "a value of the wrong type",
      patching({ op: "add", path: "/data/a", value: 1 }),
      "Internal error occurred: json: cannot unmarshal number into Go struct field ConfigMap.data of type string",
    ],
    [
      "another kind",
      patching({ op: "replace", path: "/kind", value: "Secret" }),
      "converting (v1.Secret) to (core.ConfigMap): unknown conversion",
    ],
    [
      "a kind that is not known",
      patching({ op: "replace", path: "/kind", value: "Nope" }),
      'Internal error occurred: no kind "Nope" is registered for version "v1" in scheme "pkg/api/legacyscheme/scheme.go:30"',
    ],
    [
      "a patch that is none",
      { ...patching(), patch: btoa("{") },
      failed("received undecodable patch in webhook response: unexpected end of JSON input"),
    ],
    [
      "a patch of another type",
      { ...patching({ op: "test", path: "" }), patchType: "Merge" },
      failed('unsupported patch type "Merge"'),
    ],
    [
      "a patch without a type",
      { allowed: true, patch: patching().patch },
      failed(
        "received invalid webhook response: webhook returned response.patch but not response.patchType",
      ),
    ],
  ])("%s is an error", async (_, response, message) => {
    world.webhooks.set("bad", () => response);
    await world.configure("Mutating", "a", [{ name: "bad" }]);
    expect(messageOf(await create("m", { data: { b: "" } }))).toBe(message);
  });

  test("a webhook cannot change an object that is deleted", async () => {
    world.webhooks.set("bad", () => patching({ op: "add", path: "/data", value: {} }));
    const rules = [writes("configmaps", { operations: ["DELETE"] })];
    await world.configure("Mutating", "a", [{ name: "bad", rules }]);
    await create("m");
    expect(messageOf(await world.ask({ method: "DELETE", path: `${maps}/m` }))).toBe(
      'Internal error occurred: admission webhook "bad.w.io" attempted to modify the object, which is not supported for this operation',
    );
  });
});

test("a review of v1beta1 is sent to webhooks that prefer it, and less is asked of its response", async () => {
  const versions: string[] = [];
  world.webhooks.set("old", (_, { apiVersion }) => {
    versions.push(apiVersion);
    const { patch } = patching({ op: "add", path: "/data/a", value: "1" });
    return JSON.stringify({ response: { allowed: true, patch } });
  });
  const admissionReviewVersions = ["v2", "v1beta1", "v1"];
  await world.configure("Mutating", "a", [{ name: "old", admissionReviewVersions }]);
  expect((await create("m", { data: { b: "" } })).body.data).toEqual({ a: "1", b: "" });
  expect(versions).toEqual(["admission.k8s.io/v1beta1"]);
});

test("the metrics of webhooks have upstream's names", async () => {
  world.webhooks.set("deny", () => ({ allowed: false, status: { code: 700 } }));
  await world.configure("Validating", "a", [
    { name: "deny" },
    { name: "x", failurePolicy: "Ignore" },
  ]);
  await create("m");
  const { body } = await world.ask({ path: "/metrics", headers: { accept: "text/plain" } });
  const lines = (body as string)
    .split("\n")
    .filter((line) => /^apiserver_admission_webhook/.test(line));
  const labels = (name: string) => `name="${name}.w.io",operation="CREATE"`;
  expect(lines.filter((line) => !line.includes("_duration_"))).toEqual([
    `apiserver_admission_webhook_fail_open_count{name="x.w.io",type="validating"} 1`,
    `apiserver_admission_webhook_rejection_count{error_type="no_error",${labels("deny")},rejection_code="600",type="validating"} 1`,
    `apiserver_admission_webhook_request_total{code="404",${labels("x")},rejected="false",type="validating"} 1`,
    `apiserver_admission_webhook_request_total{code="600",${labels("deny")},rejected="true",type="validating"} 1`,
  ]);
});
