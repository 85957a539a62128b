import { afterEach, beforeEach, expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { openServer, send } from "../in-process.test-support.ts";
import type { ObjectDraft } from "../objects/object.ts";
import type { ApiServer } from "../server.ts";
import { type AdmissionPlugin, type Attributes, operationOptions } from "./admission.ts";

type Seen = Attributes | Attributes<ObjectDraft>;
let server: ApiServer;
let seen: { phase: string; attributes: Seen }[];

beforeEach(async () => {
  const note = (phase: string) => (attributes: Seen) =>
    void seen.push({
      phase,
      attributes: { ...attributes, object: structuredClone(attributes.object) as never },
    });
  const listener: AdmissionPlugin = {
    name: "listener",
    operations: ["CREATE", "UPDATE", "DELETE", "CONNECT"],
    admit: note("admit"),
    validate: note("validate"),
  };
  seen = [];
  server = await openServer(new VirtualClock(0), undefined, { admission: { also: [listener] } });
});
afterEach(() => server.close());

async function ask(method: string, path: string, body?: unknown, headers = {}): Promise<number> {
  seen = [];
  return (await send(server, { method, path, headers, body })).status;
}

/** The calls of admission, such as `admit CREATE pods/eviction a: Eviction`. */
const calls = (): readonly string[] =>
  seen.map(({ phase, attributes }) => {
    const { operation, address, subresource, objectKind = address.kind, object } = attributes;
    const place = [address.kind.plural, ...(subresource === "" ? [] : [subresource])].join("/");
    const isNamed = objectKind.kind === object.kind;
    return `${phase} ${operation} ${place} ${address.name}: ${isNamed ? object.kind : "another"}`;
  });
const both = (what: string): readonly string[] => [`admit ${what}`, `validate ${what}`];

const core = "/api/v1/namespaces/default";
const pods = `${core}/pods`;
const deployments = "/apis/apps/v1/namespaces/default/deployments";
const merge = { "content-type": "application/merge-patch+json" };
const apply = { "content-type": "application/apply-patch+yaml" };
const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "a" },
  spec: { containers: [{ name: "c", image: "i" }] },
};
const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: "a" } },
    template: { metadata: { labels: { app: "a" } }, spec: pod.spec },
  },
};
const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };

test("a creation is admitted with its defaults", async () => {
  await ask("POST", pods, pod);
  expect(calls()).toEqual(both("CREATE pods a: Pod"));
  expect(seen[0]?.attributes.object).toMatchObject({ spec: { restartPolicy: "Always" } });
  expect(seen[0]?.attributes.object).not.toHaveProperty("metadata.uid");
  expect(seen[1]?.attributes.object).toHaveProperty("metadata.uid");
});

test("only validating admission sees a generated name", async () => {
  await ask("POST", pods, { ...pod, metadata: { generateName: "a-" } });
  expect(seen.map(({ attributes }) => attributes.address.name.slice(0, 2))).toEqual(["", "a-"]);
  expect(seen[0]?.attributes.object.metadata.name).toEqual(undefined);
});

test.each([
  ["a merge patch", "PATCH", `${core}/configmaps/a`, { data: { a: "b" } }, merge, 200, "UPDATE"],
  [
    "an update",
    "PUT",
    `${core}/configmaps/a`,
    { ...configMap, data: { a: "b" } },
    {},
    200,
    "UPDATE",
  ],
  ["an apply", "PATCH", `${core}/configmaps/a?fieldManager=m`, configMap, apply, 200, "UPDATE"],
  [
    "an apply of what is not there",
    "PATCH",
    `${core}/configmaps/b?fieldManager=m`,
    { ...configMap, metadata: { name: "b" } },
    apply,
    201,
    "CREATE",
  ],
])(
  "%s is admitted as the operation that it results in",
  async (_, method, path, body, headers, status, operation) => {
    await ask("POST", `${core}/configmaps`, configMap);
    expect(await ask(method, path, body, headers)).toEqual(status);
    const name = /configmaps\/(.)/.exec(path)?.[1];
    expect(calls()).toEqual(both(`${operation} configmaps ${name}: ConfigMap`));
  },
);

test("an update of an object that does not exist creates it if the kind allows that", async () => {
  const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "l" } };
  const path = "/apis/coordination.k8s.io/v1/namespaces/default/leases/l";
  expect(await ask("PUT", path, lease)).toEqual(201);
  expect(calls()).toEqual(both("CREATE leases l: Lease"));
});

test.each([
  ["pods/status", `${pods}/a/status`, { status: { message: "x" } }],
  ["pods/resize", `${pods}/a/resize`, { metadata: { labels: {} } }],
  ["pods/ephemeralcontainers", `${pods}/a/ephemeralcontainers`, { metadata: { labels: {} } }],
])("%s: the pod is what is rejectionBy", async (place, path, patch) => {
  await ask("POST", pods, pod);
  expect(await ask("PATCH", path, patch, merge)).toEqual(200);
  expect(calls()).toEqual(both(`UPDATE ${place} a: Pod`));
});

test("a Scale is admitted with its old and new state", async () => {
  await ask("POST", deployments, deployment);
  expect(await ask("PATCH", `${deployments}/web/scale`, { spec: { replicas: 3 } }, merge)).toEqual(
    200,
  );
  expect(calls()).toEqual(both("UPDATE deployments/scale web: Scale"));
  for (const { attributes } of seen) {
    expect(attributes.object.spec).toEqual({ replicas: 3 });
    expect(attributes.old).toMatchObject({ kind: "Scale", spec: { replicas: 1 } });
  }
});

test("a binding is created through its pod", async () => {
  await ask("POST", pods, pod);
  const target = { kind: "Node", name: "n" };
  const binding = { apiVersion: "v1", kind: "Binding", metadata: { name: "a" }, target };
  expect(await ask("POST", `${pods}/a/binding`, binding)).toEqual(201);
  expect(calls()).toEqual(both("CREATE pods/binding a: Binding"));
});

const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "a" } };

test("an eviction is admitted, and the deletion of its pod is not", async () => {
  await ask("POST", pods, pod);
  expect(await ask("POST", `${pods}/a/eviction`, eviction)).toEqual(201);
  expect(calls()).toEqual(both("CREATE pods/eviction a: Eviction"));
  expect(await ask("GET", `${pods}/a`)).toEqual(404);
});

test("an eviction that names another pod is not validated", async () => {
  await ask("POST", pods, pod);
  expect(await ask("POST", `${pods}/b/eviction`, eviction)).toEqual(400);
  expect(calls()).toEqual(["admit CREATE pods/eviction b: Eviction"]);
});

test("a budget that an eviction spends is written by the server itself", async () => {
  await ask("POST", pods, { ...pod, metadata: { name: "a", labels: { app: "a" } } });
  const running = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
  await ask("PATCH", `${pods}/a/status`, { status: running }, merge);
  const budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
  await ask("POST", budgets, {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "b" },
    spec: { minAvailable: 0, selector: { matchLabels: { app: "a" } } },
  });
  const status = { observedGeneration: 1, disruptionsAllowed: 1, expectedPods: 1 };
  const counts = { currentHealthy: 1, desiredHealthy: 0 };
  await ask("PATCH", `${budgets}/b/status`, { status: { ...status, ...counts } }, merge);
  expect(await ask("POST", `${pods}/a/eviction`, eviction)).toEqual(201);
  expect(calls()).toEqual([
    ...both("CREATE pods/eviction a: Eviction"),
    ...both("UPDATE poddisruptionbudgets/status b: PodDisruptionBudget"),
  ]);
  expect(seen.at(-1)?.attributes.context.user.name).toEqual("system:apiserver");
});

test("a token is created through its account", async () => {
  const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "s" } };
  await ask("POST", `${core}/serviceaccounts`, account);
  const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
  expect(await ask("POST", `${core}/serviceaccounts/s/token`, request)).toEqual(201);
  expect(calls()).toEqual(both("CREATE serviceaccounts/token s: TokenRequest"));
});

test("a review is admitted, although it is not stored", async () => {
  const review = {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    spec: { nonResourceAttributes: { path: "/", verb: "get" } },
  };
  expect(
    await ask("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", review),
  ).toEqual(201);
  expect(calls()).toEqual(both("CREATE selfsubjectaccessreviews : SelfSubjectAccessReview"));
});

test("a namespace is finalized by an update", async () => {
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "n" } };
  await ask("POST", "/api/v1/namespaces", namespace);
  expect(await ask("PUT", "/api/v1/namespaces/n/finalize", namespace)).toEqual(200);
  expect(calls()).toEqual(both("UPDATE namespaces/finalize n: Namespace"));
});

test("a deletion is admitted with the deleted object", async () => {
  await ask("POST", `${core}/configmaps`, configMap);
  expect(await ask("DELETE", `${core}/configmaps/a`)).toEqual(200);
  expect(calls()).toEqual(both("DELETE configmaps a: ConfigMap"));
  expect(seen[0]?.attributes.old?.metadata.name).toEqual("a");
});

test("every object of a deleted collection is admitted, without a name", async () => {
  await ask("POST", `${core}/configmaps`, configMap);
  await ask("POST", `${core}/configmaps`, { ...configMap, metadata: { name: "b" } });
  expect(
    await ask("DELETE", `${core}/configmaps?fieldSelector=metadata.name!%3Dkube-root-ca.crt`),
  ).toEqual(200);
  const one = both("DELETE configmaps : ConfigMap");
  expect(calls()).toEqual([...one, ...one]);
  expect(seen.map(({ attributes }) => attributes.old?.metadata.name)).toEqual(["a", "a", "b", "b"]);
});

test.each([
  [
    "POST",
    `${core}/configmaps?dryRun=All&fieldManager=m`,
    { ...configMap, metadata: { name: "b" } },
    {},
    "CreateOptions",
  ],
  ["PUT", `${core}/configmaps/a?dryRun=All&fieldManager=m`, configMap, {}, "UpdateOptions"],
  ["PATCH", `${core}/configmaps/a?dryRun=All&fieldManager=m`, {}, merge, "UpdateOptions"],
])("%s: options and a dry run are seen", async (method, path, body, headers, kind) => {
  await ask("POST", `${core}/configmaps`, configMap);
  await ask(method, path, body, headers);
  expect(seen).toHaveLength(2);
  for (const { attributes } of seen)
    expect([attributes.context.dryRun, operationOptions(attributes)]).toEqual([
      true,
      { kind, apiVersion: "meta.k8s.io/v1", dryRun: ["All"], fieldManager: "m" },
    ]);
});

test("DELETE: options and a dry run are seen", async () => {
  await ask("POST", `${core}/configmaps`, configMap);
  const body = { dryRun: ["All"], propagationPolicy: "Foreground" };
  await ask("DELETE", `${core}/configmaps/a`, body);
  const [first] = seen;
  expect(first?.attributes.context.dryRun).toEqual(true);
  expect(first && operationOptions(first.attributes)).toMatchObject({
    kind: "DeleteOptions",
    apiVersion: "meta.k8s.io/v1",
    ...body,
  });
});
