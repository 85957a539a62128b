import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { admin, openServer, send, type TestRequest } from "../in-process.test-support.ts";
import type { Peer } from "../request/request.ts";
import type { ApiServer } from "../server.ts";

const jane: Peer = { commonName: "jane", organizations: ["devs"] };
const apiVersion = "authorization.k8s.io/v1";

describe("reviews", () => {
  let server: ApiServer;
  const post = async (path: string, body: object, peer: Peer = admin) => {
    const request: TestRequest = { method: "POST", path, body, peer };
    const { status, text } = await send(server, request);
    return { status, body: JSON.parse(text) as Record<string, unknown> };
  };
  beforeAll(async () => {
    server = await openServer(new VirtualClock(Date.UTC(2024, 4, 1, 10)));
    const rbac = "/apis/rbac.authorization.k8s.io/v1";
    const bind = (namespace: string, roleRef: object) =>
      post(`${rbac}/namespaces/${namespace}/rolebindings`, {
        metadata: { name: "b" },
        roleRef,
        subjects: [{ kind: "Group", name: "devs" }],
      });
    await post(`${rbac}/namespaces/default/roles`, {
      metadata: { name: "r" },
      rules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"], resourceNames: ["x"] }],
    });
    await bind("default", { kind: "Role", name: "r" });
    await bind("kube-public", { kind: "Role", name: "gone" });
  });
  afterAll(() => server.close());

  test("a review cannot be shown as a table", async () => {
    const request: TestRequest = {
      method: "POST",
      path: `/apis/${apiVersion}/selfsubjectaccessreviews`,
      headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
      body: { spec: { nonResourceAttributes: { path: "/", verb: "get" } } },
    };
    expect(await send(server, request)).toMatchObject({
      status: 406,
      text: expect.stringContaining("only the following media types are accepted"),
    });
  });

  test("selfsubjectreviews: the response names the caller, its credential and the time", async () => {
    const answer = await post("/apis/authentication.k8s.io/v1/selfsubjectreviews", {
      kind: "SelfSubjectReview",
      apiVersion: "authentication.k8s.io/v1",
      metadata: { name: "ignored" },
    });
    expect(answer).toEqual({
      status: 201,
      body: {
        kind: "SelfSubjectReview",
        apiVersion: "authentication.k8s.io/v1",
        metadata: { creationTimestamp: "2024-05-01T10:00:00Z" },
        status: {
          userInfo: {
            username: "admin",
            groups: ["system:masters", "system:authenticated"],
            extra: {
              "authentication.kubernetes.io/credential-id": [`X509SHA256=${admin.fingerprint}`],
            },
          },
        },
      },
    });
  });

  const allowed = {
    allowed: true,
    reason: 'RBAC: allowed by RoleBinding "b/default" of Role "r" to Group "devs"',
  };
  const pods = { verb: "get", resource: "pods", name: "x", namespace: "default" };
  const gone = 'RBAC: role.rbac.authorization.k8s.io "gone" not found';
  const access: [what: string, spec: object, status: object][] = [
    ["what a role allows", { resourceAttributes: pods }, allowed],
    ["another object", { resourceAttributes: { ...pods, name: "y" } }, { allowed: false }],
    ["another version", { resourceAttributes: { ...pods, version: "v7" } }, allowed],
    ["another group", { resourceAttributes: { ...pods, group: "apps" } }, { allowed: false }],
    [
      "another namespace",
      { resourceAttributes: { ...pods, namespace: "kube-system" } },
      { allowed: false },
    ],
    ["no namespace", { resourceAttributes: { ...pods, namespace: "" } }, { allowed: false }],
    ["a subresource", { resourceAttributes: { ...pods, subresource: "log" } }, { allowed: false }],
    [
      "a role that is gone",
      { resourceAttributes: { ...pods, namespace: "kube-public" } },
      { allowed: false, reason: gone },
    ],
    ["nothing", { resourceAttributes: {} }, { allowed: false }],
    ["a path", { nonResourceAttributes: { verb: "get", path: "/metrics" } }, { allowed: false }],
    [
      "selectors that are understood in part, or not at all",
      {
        resourceAttributes: {
          ...pods,
          fieldSelector: {
            requirements: [
              { key: "a", operator: "In", values: ["b"] },
              { key: "a", operator: "Exists" },
            ],
          },
          labelSelector: { rawSelector: "a!!" },
        },
      },
      {
        ...allowed,
        evaluationError:
          "spec.resourceAttributes.fieldSelector partially ignored due to parse error; spec.resourceAttributes.labelSelector ignored due to parse error",
      },
    ],
    [
      "conditions that nobody knows",
      {
        resourceAttributes: {
          ...pods,
          fieldSelector: { rawSelector: "a=b=c" },
          labelSelector: {
            requirements: [
              { key: "a", operator: "In", values: ["b"] },
              { key: "a", operator: "Like", values: ["b"] },
            ],
          },
        },
      },
      {
        ...allowed,
        evaluationError:
          "spec.resourceAttributes.fieldSelector ignored due to parse error; spec.resourceAttributes.labelSelector partially ignored due to parse error",
      },
    ],
  ];
  test.each(access)("selfsubjectaccessreviews: %s", async (_, spec, status) => {
    const path = `/apis/${apiVersion}/selfsubjectaccessreviews`;
    const { body } = await post(path, { spec }, jane);
    expect(body.status).toEqual(status);
  });
  test.each(access)("subjectaccessreviews: %s", async (_, spec, status) => {
    const path = `/apis/${apiVersion}/subjectaccessreviews`;
    const { body } = await post(path, { spec: { ...spec, user: "joe", groups: ["devs"] } });
    expect(body.status).toEqual(status);
  });

  test("subjectaccessreviews: only the groups of the review count", async () => {
    const path = `/apis/${apiVersion}/subjectaccessreviews`;
    const spec = { user: "jane", nonResourceAttributes: { verb: "get", path: "/version" } };
    const { body } = await post(path, { spec });
    expect(body.status).toEqual({ allowed: false });
  });

  test("subjectaccessreviews: system:masters may do everything, and no reason is given", async () => {
    const path = `/apis/${apiVersion}/subjectaccessreviews`;
    const { body } = await post(path, {
      spec: { groups: ["system:masters"], resourceAttributes: { verb: "eat", resource: "cakes" } },
    });
    expect(body.status).toEqual({ allowed: true });
  });

  test("localsubjectaccessreviews: are about one namespace", async () => {
    const path = `/apis/${apiVersion}/namespaces/default/localsubjectaccessreviews`;
    const { body } = await post(path, {
      spec: { groups: ["devs"], resourceAttributes: pods },
    });
    expect(body).toMatchObject({ metadata: { namespace: "default" }, status: allowed });
  });

  test("subjectaccessreviews: metadata that only the server sets and duplicate owners are dropped", async () => {
    const path = `/apis/${apiVersion}/namespaces/default/localsubjectaccessreviews`;
    const spec = { groups: ["devs"], resourceAttributes: pods };
    const stamps = { uid: "x", creationTimestamp: "2024-01-01T00:00:00Z", selfLink: "x" };
    expect(await post(path, { metadata: stamps, spec })).toMatchObject({ status: 201 });
    const owner = { apiVersion: "v1", kind: "Pod", name: "a", uid: "u" };
    const { body } = await post(path, { metadata: { ownerReferences: [owner, owner] }, spec });
    expect(body.message).toContain(
      `{"namespace":"default","ownerReferences":[${JSON.stringify(owner)}],"managedFields"`,
    );
  });

  test("tokenreviews: the status that the client sent stays if the token is invalid", async () => {
    const path = "/apis/authentication.k8s.io/v1/tokenreviews";
    const status = { authenticated: true, audiences: ["a"], user: { username: "x" } };
    const { body } = await post(path, { spec: { token: "bad" }, status });
    expect(body.status).toMatchObject({ audiences: ["a"], user: { username: "x" } });
    expect(body.status).not.toHaveProperty("authenticated");
  });

  test("subjectaccessreviews: need the right to create them", async () => {
    const path = `/apis/${apiVersion}/subjectaccessreviews`;
    const { status } = await post(path, { spec: { user: "x", resourceAttributes: {} } }, jane);
    expect(status).toEqual(403);
  });

  test("selfsubjectrulesreviews: the response has all rules of the user, and no metadata", async () => {
    const path = `/apis/${apiVersion}/selfsubjectrulesreviews`;
    const { status, body } = await post(path, { spec: { namespace: "default" } }, jane);
    expect(status).toEqual(201);
    expect(body).toMatchObject({ kind: "SelfSubjectRulesReview", apiVersion });
    expect({ metadata: body.metadata, spec: body.spec }).toEqual({ metadata: {}, spec: {} });
    expect(body.status).toEqual({
      resourceRules: [
        {
          verbs: ["create"],
          apiGroups: ["authorization.k8s.io"],
          resources: ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
        },
        {
          verbs: ["create"],
          apiGroups: ["authentication.k8s.io"],
          resources: ["selfsubjectreviews"],
        },
        { verbs: ["get"], apiGroups: [""], resources: ["pods"], resourceNames: ["x"] },
      ],
      nonResourceRules: [
        {
          verbs: ["get"],
          nonResourceURLs: [
            "/api",
            "/api/*",
            "/apis",
            "/apis/*",
            "/healthz",
            "/livez",
            "/openapi",
            "/openapi/*",
            "/readyz",
            "/version",
            "/version/",
          ],
        },
        {
          verbs: ["get"],
          nonResourceURLs: ["/healthz", "/livez", "/readyz", "/version", "/version/"],
        },
      ],
      incomplete: false,
    });
  });

  test("selfsubjectrulesreviews: roles that do not exist are an error", async () => {
    const path = `/apis/${apiVersion}/selfsubjectrulesreviews`;
    const { body } = await post(path, { spec: { namespace: "kube-public" } }, jane);
    expect(body.status).toMatchObject({
      incomplete: false,
      evaluationError: 'role.rbac.authorization.k8s.io "gone" not found',
    });
  });
});

test("reviews: other authorization modes are reviewed", async () => {
  const server = await openServer(new VirtualClock(0), undefined, {
    authorizationModes: ["AlwaysAllow"],
  });
  const { text } = await send(server, {
    method: "POST",
    path: `/apis/${apiVersion}/subjectaccessreviews`,
    body: { spec: { user: "jane", resourceAttributes: { verb: "eat", resource: "cakes" } } },
    peer: jane,
  });
  expect(JSON.parse(text)).toMatchObject({ status: { allowed: true } });
  server.close();
});
