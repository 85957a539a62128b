import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import type { AdmissionPlugin } from "../admission/admission.ts";
import { type TestRequest, toApiRequest } from "../in-process.test-support.ts";
import type { StreamBody } from "../request/request.ts";
import { openAudited } from "./audited-server.test-support.ts";

const everything = { rules: [{ level: "RequestResponse" }] };
const metadata = { rules: [{ level: "Metadata" }] };

const configMap = {
  method: "POST",
  path: "/api/v1/namespaces/default/configmaps?fieldManager=me",
  headers: { "user-agent": "tester/1", "audit-id": "mine" },
  body: { metadata: { name: "a" }, data: { secret: "hidden" } },
} as const;

test("audit: a write at the level Metadata", async () => {
  const { call, lines } = await openAudited(metadata);
  const { status, headers } = await call(configMap);
  expect([status, headers["audit-id"]]).toEqual([201, "mine"]);
  const user = `"user":{"username":"admin","groups":["system:masters","system:authenticated"],"extra":{"authentication.kubernetes.io/credential-id":["X509SHA256=${"0123456789abcdef".repeat(4)}"]}}`;
  const both = `"requestURI":"/api/v1/namespaces/default/configmaps?fieldManager=me","verb":"create",${user},"sourceIPs":["127.0.0.1"],"userAgent":"tester/1"`;
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  const [received = "", complete = ""] = lines;
  expect(lines).toHaveLength(2);
  expect(received).toContain(
    `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"mine","stage":"RequestReceived",${both},"objectRef":{"resource":"configmaps","namespace":"default","apiVersion":"v1"},"requestReceivedTimestamp":`,
  );
  expect(complete).toContain(
    `"stage":"ResponseComplete",${both},"objectRef":{"resource":"configmaps","namespace":"default","name":"a","apiVersion":"v1"},"responseStatus":{"metadata":{},"code":201},"requestReceivedTimestamp":`,
  );
  expect(complete).toContain(
    `,"annotations":{"authorization.k8s.io/decision":"allow","authorization.k8s.io/reason":""}}\n`,
  );
  expect(JSON.parse(complete)).toMatchObject({
    requestReceivedTimestamp: time,
    stageTimestamp: time,
  });
  expect(lines.join("")).not.toContain("hidden");
});

test("audit: objects of requests have their defaults, those of responses what is stored", async () => {
  const { events } = await openAudited(everything);
  const body = {
    metadata: { name: "s" },
    spec: { ports: [{ port: 80 }] },
  };
  const [, complete] = await events({
    method: "POST",
    path: "/api/v1/namespaces/default/services",
    body,
  });
  expect(complete?.requestObject).toMatchObject({
    kind: "Service",
    apiVersion: "v1",
    metadata: { name: "s" },
    spec: { ports: [{ port: 80, protocol: "TCP", targetPort: 80 }], type: "ClusterIP" },
    status: { loadBalancer: {} },
  });
  expect(complete?.requestObject?.spec).not.toHaveProperty("clusterIP");
  expect(complete?.responseObject).toMatchObject({
    metadata: { name: "s", managedFields: [{ operation: "Update" }] },
    spec: { clusterIP: expect.any(String) },
  });
});

test("audit: an object in protobuf or YAML is audited as JSON", async () => {
  const { events, call, take } = await openAudited(everything);
  await call(configMap);
  take();
  const path = "/api/v1/namespaces/default/configmaps/a";
  const json = await events({ path });
  const accepts = ["application/vnd.kubernetes.protobuf", "application/yaml"];
  for (const accept of accepts) {
    const other = await events({ path, headers: { accept } });
    expect(other[1]?.responseObject).toEqual(json[1]?.responseObject);
  }
  expect(json[1]?.responseObject).toMatchObject({ data: { secret: "hidden" } });
});

test("audit: managed fields are left out if the policy says so", async () => {
  const { events, call, take } = await openAudited({ ...everything, omitManagedFields: true });
  const managed = { ...configMap.body, metadata: { name: "a", managedFields: [] } };
  const [, created] = await events({ ...configMap, body: managed });
  expect(created?.requestObject?.metadata).toEqual({ name: "a" });
  expect(created?.responseObject?.metadata).not.toHaveProperty("managedFields");
  await call({ ...configMap, body: { metadata: { name: "b" } } });
  take();
  const path = "/api/v1/namespaces/default/configmaps";
  const table = "application/json;as=Table;v=v1;g=meta.k8s.io";
  for (const accept of ["application/json", table, "application/vnd.kubernetes.protobuf"]) {
    const [, listed] = await events({ path, headers: { accept } });
    expect(JSON.stringify(listed?.responseObject)).toContain('"name":"a"');
    expect(JSON.stringify(listed)).not.toContain("managedFields");
  }
});

type Sent = [what: string, request: TestRequest, object: unknown];
const named = "/api/v1/namespaces/default/configmaps/a";
each<Sent>([
  [
    "a merge patch",
    {
      method: "PATCH",
      path: named,
      headers: { "content-type": "application/merge-patch+json" },
      body: '{"data":\n {"n":"1"}}',
    },
    { data: { n: "1" } },
  ],
  [
    "an apply in YAML",
    {
      method: "PATCH",
      path: `${named}?fieldManager=me&force=true`,
      headers: { "content-type": "application/apply-patch+yaml" },
      body: "kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\n",
    },
    { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "a" } },
  ],
  [
    "a patch that is no JSON",
    {
      method: "PATCH",
      path: named,
      headers: { "content-type": "application/merge-patch+json" },
      body: "{a: b: c",
    },
    "{a: b: c",
  ],
  [
    "options of a deletion",
    { method: "DELETE", path: named, body: { propagationPolicy: "Background" } },
    {
      kind: "DeleteOptions",
      apiVersion: "meta.k8s.io/__internal",
      propagationPolicy: "Background",
    },
  ],
  ["a deletion without options", { method: "DELETE", path: named }, undefined],
  ["a read", { path: named }, undefined],
])("audit: the object of a request: %s", async (_, request, object) => {
  const { call, events, take } = await openAudited({ rules: [{ level: "Request" }] });
  await call(configMap);
  take();
  const [received, complete] = await events(request);
  expect(received).not.toHaveProperty("requestObject");
  expect(complete?.requestObject).toEqual(object);
  expect(complete).not.toHaveProperty("responseObject");
});

test("audit: a Status is noted with what it says", async () => {
  const { events, call, take } = await openAudited(metadata);
  const [, missing] = await events({ path: "/api/v1/namespaces/default/pods/none" });
  expect(missing?.responseStatus).toEqual({
    metadata: {},
    status: "Failure",
    message: 'pods "none" not found',
    reason: "NotFound",
    details: { name: "none", kind: "pods" },
    code: 404,
  });
  await call(configMap);
  take();
  const [, deleted] = await events({ method: "DELETE", path: named });
  expect(deleted?.responseStatus).toMatchObject({
    status: "Success",
    details: { name: "a", kind: "configmaps" },
    code: 200,
  });
  const [, unacceptable] = await events({ path: named, headers: { accept: "text/html" } });
  expect(unacceptable?.responseStatus).toEqual({ metadata: {}, code: 406 });
  const [, unknown] = await events({ path: "/nope" });
  expect(unknown?.responseStatus).toMatchObject({ code: 404 });
});

test("audit: rejected credentials, with one event and without a user", async () => {
  const { server, take } = await openAudited(metadata);
  const request = toApiRequest({
    path: "/api/v1/pods",
    headers: { authorization: "Bearer secret-token" },
  });
  await server.handle({ ...request, peer: undefined });
  const [event, ...more] = take();
  expect(more).toEqual([]);
  expect(event).toMatchObject({
    stage: "ResponseStarted",
    verb: "list",
    user: {},
    objectRef: { resource: "pods", apiVersion: "v1" },
    responseStatus: {
      status: "Failure",
      message: "Unauthorized",
      reason: "Unauthorized",
      code: 401,
    },
  });
  expect(JSON.stringify(event)).not.toContain("secret-token");
});

test("audit: a timeout that cannot be read, with one event", async () => {
  const { events } = await openAudited(metadata);
  const found = await events({ path: "/api/v1/pods?timeout=soon" });
  expect(found.map(({ stage, responseStatus }) => [stage, responseStatus?.code])).toEqual([
    ["ResponseStarted", 400],
  ]);
});

test("audit: an impersonated user and a request that is forbidden to it", async () => {
  const { events } = await openAudited(metadata);
  const [received, complete] = await events({
    path: "/api/v1/secrets",
    headers: { "impersonate-user": "jane", "impersonate-group": "devs" },
  });
  expect(received).not.toHaveProperty("impersonatedUser");
  expect(complete).toMatchObject({
    user: { username: "admin" },
    impersonatedUser: { username: "jane", groups: ["devs", "system:authenticated"] },
    responseStatus: { code: 403, reason: "Forbidden" },
    annotations: { "authorization.k8s.io/decision": "forbid", "authorization.k8s.io/reason": "" },
  });
  expect(complete?.authenticationMetadata).toEqual({
    impersonationConstraint: "impersonate:user-info",
  });
});

test("audit: a watch has an event when it starts and one when it ends", async () => {
  const { server, take } = await openAudited(metadata);
  const { body } = await server.handle(toApiRequest({ path: "/api/v1/pods?watch=1" }));
  const started = take();
  expect(started.map(({ stage }) => stage)).toEqual(["RequestReceived", "ResponseStarted"]);
  const stop = (body as StreamBody).start({
    write: () => true,
    end: () => {},
    onDrain: () => {},
  });
  expect(take()).toEqual([]);
  stop();
  const [ended] = take();
  expect(ended).toMatchObject({ stage: "ResponseComplete", verb: "watch" });
  expect(ended?.responseStatus).toEqual({ metadata: {}, code: 200 });
});

test("audit: a deprecated version and pod security are annotated", async () => {
  const { events, call } = await openAudited(metadata);
  const [, endpoints] = await events({ path: "/api/v1/namespaces/default/endpoints" });
  expect(endpoints?.annotations).toMatchObject({ "k8s.io/deprecated": "true" });
  await call({
    method: "POST",
    path: "/api/v1/namespaces/default/serviceaccounts",
    body: { metadata: { name: "default" } },
  });
  const pod = {
    metadata: { name: "p" },
    spec: { hostNetwork: true, containers: [{ name: "c", image: "i" }] },
  };
  const create = { method: "POST", path: "/api/v1/namespaces/default/pods?dryRun=All", body: pod };
  const annotations = async () => (await events(create)).at(-1)?.annotations ?? {};
  expect(await annotations()).toMatchObject({
    "pod-security.kubernetes.io/enforce-policy": "privileged:latest",
  });
  await call({
    method: "PATCH",
    path: "/api/v1/namespaces/default",
    headers: { "content-type": "application/merge-patch+json" },
    body: { metadata: { labels: { "pod-security.kubernetes.io/audit": "baseline" } } },
  });
  expect(await annotations()).toMatchObject({
    "pod-security.kubernetes.io/enforce-policy": "privileged:latest",
    "pod-security.kubernetes.io/audit-violations":
      'would violate PodSecurity "baseline:latest": host namespaces (hostNetwork=true)',
  });
});

test("audit: a token that is issued is annotated with its id, not shown", async () => {
  const { call, take, lines } = await openAudited(metadata);
  await call({
    method: "POST",
    path: "/api/v1/namespaces/default/serviceaccounts",
    body: { metadata: { name: "robot" } },
  });
  take();
  await call({
    method: "POST",
    path: "/api/v1/namespaces/default/serviceaccounts/robot/token",
    body: { spec: {} },
  });
  expect(lines.join("")).not.toContain("eyJ");
  const [, issued] = take();
  expect(issued?.annotations?.["authentication.kubernetes.io/issued-credential-id"]).toMatch(
    /^JTI=[\w-]{36}$/,
  );
});

test("audit: a pod's token that should have been renewed is annotated", async () => {
  const { server, clock, call, take } = await openAudited(metadata, {
    admission: { disable: ["ServiceAccount"] },
  });
  const post = async (path: string, body: object): Promise<Created> =>
    JSON.parse((await call({ method: "POST", path, body })).text) as Created;
  const namespace = "/api/v1/namespaces/default";
  await post(`${namespace}/serviceaccounts`, { metadata: { name: "s" } });
  const spec = { serviceAccountName: "s", containers: [{ name: "c", image: "i" }] };
  const { metadata: pod } = await post(`${namespace}/pods`, { metadata: { name: "p" }, spec });
  const boundObjectRef = { kind: "Pod", apiVersion: "v1", name: "p", uid: pod.uid };
  const { status } = await post(`${namespace}/serviceaccounts/s/token`, {
    spec: { expirationSeconds: 3607, boundObjectRef },
  });
  await clock.advance(3_617_000);
  take();
  const request = toApiRequest({
    path: "/version",
    headers: { authorization: `Bearer ${status.token}` },
  });
  await server.handle({ ...request, peer: undefined });
  expect(
    take().map(({ annotations = {} }) => annotations["authentication.k8s.io/stale-token"]),
  ).toEqual(
    Array(2).fill("subject: system:serviceaccount:default:s, seconds after warning threshold: 10"),
  );
});

interface Created {
  readonly metadata: { readonly uid: string };
  readonly status: { readonly token: string };
}

test("audit: stages that the policy omits have no event, and None has none at all", async () => {
  const { events } = await openAudited({
    omitStages: ["RequestReceived"],
    rules: [{ level: "None", resources: [{ group: "" }] }, { level: "Metadata" }],
  });
  expect((await events({ path: "/version" })).map(({ stage }) => stage)).toEqual([
    "ResponseComplete",
  ]);
  expect(await events({ path: "/api/v1/pods" })).toEqual([]);
});

test("audit: a bug of the server ends with the stage Panic", async () => {
  const broken: AdmissionPlugin = {
    name: "Broken",
    operations: ["CREATE"],
    resources: ["/configmaps"],
    admit() {
      throw new TypeError("x is undefined");
    },
  };
  const { events } = await openAudited(metadata, { admission: { also: [broken] } });
  const [, panicked, ...more] = await events(configMap);
  expect(more).toEqual([]);
  expect(panicked).toMatchObject({
    stage: "Panic",
    responseStatus: {
      status: "Failure",
      message: "APIServer panic'd: x is undefined",
      reason: "InternalError",
      code: 500,
    },
  });
});

test("audit: a request whose first event is not taken fails, and is counted", async () => {
  const { call, fail, take } = await openAudited(metadata);
  fail();
  const { status, text } = await call(configMap);
  expect([status, text]).toEqual([
    500,
    'Internal Server Error: "/api/v1/namespaces/default/configmaps?fieldManager=me": failed to store audit event\n',
  ]);
  expect(take().map(({ stage }) => stage)).toEqual(["RequestReceived"]);
  const { text: metrics } = await call({ path: "/metrics" });
  expect(metrics).toContain("Internal Server Error");
});

test("audit: metrics count events and the level of each request", async () => {
  const { call } = await openAudited({
    rules: [{ level: "None", nonResourceURLs: ["/metrics"] }, { level: "Metadata" }],
  });
  await call(configMap);
  const { text } = await call({ path: "/metrics" });
  for (const line of [
    "apiserver_audit_event_total 2",
    'apiserver_audit_level_total{level="Metadata"} 1',
    'apiserver_audit_level_total{level="None"} 1',
    "apiserver_audit_requests_rejected_total 0",
  ])
    expect(text.split("\n")).toContain(line);
});

test("audit: credentials in a URI are not shown", async () => {
  const { events } = await openAudited(everything);
  const [event] = await events({ path: "/version?a=1&access_token=s3cret&%74oken=s3cret" });
  expect(event?.requestURI).toBe("/version?a=1&access_token=REDACTED&%74oken=REDACTED");
});
