import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { VirtualClock } from "../../../base/virtual-clock.ts";
import { At } from "../../../schema/language/report.ts";
import { MemoryStore } from "../../../store/memory/memory-store.ts";
import { type Served, TestNetwork } from "../../connect/test-network.test-support.ts";
import { openServer, send } from "../../in-process.test-support.ts";
import type { AuthorizerEntry } from "../configured-authorizer.ts";
import { compileAccessConditions } from "./access-conditions.ts";
import type { WebhookRules } from "./webhook-authorizer.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests look into reviews
type Review = any;

const url = (name: string) => `https://${name}.test/authorize?timeout=3s`;

const entry = (name: string, change: Partial<WebhookRules> = {}): AuthorizerEntry => ({
  type: "Webhook",
  name,
  server: { url: `https://${name}.test/authorize`, identity: async () => ({ tls: {} }) },
  rules: {
    version: "v1",
    timeoutMs: 3000,
    allowedTtlMs: 300_000,
    otherTtlMs: 30_000,
    onFailure: "no opinion",
    ...change,
  },
});

const conditions = (...expressions: string[]) => {
  const at = At.root();
  const compiled = compileAccessConditions(
    at,
    expressions.map((expression) => ({ expression })),
  );
  if (at.errors.length > 0 || !compiled) throw new Error(JSON.stringify(at.errors));
  return compiled;
};

async function openWorld(entries: readonly AuthorizerEntry[]) {
  const clock = new VirtualClock(0);
  const network = new TestNetwork();
  const reviews: Review[] = [];
  const serve = (name: string, respond: (review: Review) => object | Served) =>
    network.served.set(url(name), (body) => {
      const review = JSON.parse(body);
      reviews.push(review);
      const answer = respond(review);
      if ("body" in answer) return answer as Served;
      return { body: JSON.stringify({ ...review, status: answer }) };
    });
  const server = await openServer(clock, new MemoryStore(clock), { network, authorizers: entries });
  const jane = { commonName: "jane", organizations: ["devs"] };
  const get = async (path: string) => {
    const { status, text } = await send(server, { path, peer: jane });
    return { status, text };
  };
  return { server, clock, network, reviews, serve, get };
}

const rbac: AuthorizerEntry = { type: "RBAC", name: "rbac" };

test("webhookAuthorizer: a webhook is sent all that an authorizer may look at", async () => {
  const { serve, get, reviews } = await openWorld([entry("a"), entry("b", { version: "v1beta1" })]);
  serve("a", () => ({ allowed: false, reason: "who knows" }));
  serve("b", () => ({ allowed: true }));
  const path =
    "/api/v1/namespaces/n/pods?fieldSelector=spec.nodeName%3Dx,status.phase!%3DFailed&labelSelector=a%3Db,c+in+(d,e),f,!g,h!%3Di";
  expect((await get(path)).status).toBe(200);
  const spec = {
    resourceAttributes: {
      namespace: "n",
      verb: "list",
      version: "v1",
      resource: "pods",
      fieldSelector: {
        requirements: [
          { key: "spec.nodeName", operator: "In", values: ["x"] },
          { key: "status.phase", operator: "NotIn", values: ["Failed"] },
        ],
      },
      labelSelector: {
        requirements: [
          { key: "a", operator: "In", values: ["b"] },
          { key: "c", operator: "In", values: ["d", "e"] },
          { key: "f", operator: "Exists" },
          { key: "g", operator: "DoesNotExist" },
          { key: "h", operator: "NotIn", values: ["i"] },
        ],
      },
    },
    user: "jane",
  };
  const groups = ["devs", "system:authenticated"];
  expect(reviews).toEqual([
    {
      kind: "SubjectAccessReview",
      apiVersion: "authorization.k8s.io/v1",
      metadata: {},
      spec: { ...spec, groups },
      status: { allowed: false },
    },
    {
      kind: "SubjectAccessReview",
      apiVersion: "authorization.k8s.io/v1beta1",
      metadata: {},
      // This version has another name for them.
      spec: { ...spec, group: groups },
      status: { allowed: false },
    },
  ]);
  await get("/readyz?verbose");
  expect(reviews.at(-1)?.spec.nonResourceAttributes).toEqual({ path: "/readyz", verb: "get" });
});

each<[what: string, status: object | Served, change: Partial<WebhookRules>, expected: object]>([
  ["allows", { allowed: true }, {}, { status: 200 }],
  [
    "has no opinion",
    { allowed: false, reason: "odd" },
    {},
    {
      status: 403,
      text: expect.stringContaining(
        'cannot list resource \\"pods\\" in API group \\"\\" at the cluster scope: odd',
      ),
    },
  ],
  [
    "denies",
    { allowed: false, denied: true, reason: "no" },
    {},
    { status: 403, text: expect.stringContaining("scope: no") },
  ],
  [
    "contradicts itself",
    { allowed: true, denied: true },
    {},
    {
      status: 500,
      text: 'Internal Server Error: "/api/v1/pods": webhook subject access review returned both allow and deny response\n',
    },
  ],
  [
    "fails, which is no opinion: the request fails, because nobody else allows it",
    { code: 403, headers: { "Content-Type": "text/plain" }, body: "go <away>" },
    {},
    { status: 500, text: 'Internal Server Error: "/api/v1/pods": go &lt;away&gt;\n' },
  ],
  [
    "responds with something else",
    { body: '{"kind":"Pod","apiVersion":"v1"}' },
    {},
    { status: 500, text: expect.stringContaining("Internal Server Error") },
  ],
])("webhookAuthorizer: a webhook %s", async (_, status, change, expected) => {
  const { serve, get } = await openWorld([entry("a", change), rbac]);
  serve("a", () => status);
  expect(await get("/api/v1/pods")).toMatchObject(expected);
});

test("webhookAuthorizer: a failure is no opinion, or denies, as its policy says", async () => {
  const failing = () => ({ code: 403, body: "" });
  const later = () => ({ allowed: true });
  for (const [onFailure, expected] of [
    ["no opinion", 200],
    ["deny", 500],
  ] as const) {
    const { serve, get } = await openWorld([entry("a", { onFailure }), entry("b")]);
    serve("a", failing);
    serve("b", later);
    expect((await get("/api/v1/pods")).status).toBe(expected);
  }
});

test("webhookAuthorizer: the first webhook with an opinion decides, and administrators need none", async () => {
  const { serve, get, reviews, server } = await openWorld([entry("a"), entry("b")]);
  serve("a", ({ spec }) =>
    spec.resourceAttributes.resource === "secrets"
      ? { allowed: false, denied: true }
      : { allowed: false },
  );
  serve("b", () => ({ allowed: true }));
  const found = [await get("/api/v1/secrets"), await get("/api/v1/pods")];
  expect(found.map(({ status }) => status)).toEqual([403, 200]);
  expect(reviews.length).toBe(3);
  expect((await send(server, { path: "/api/v1/secrets" })).status).toBe(200);
  expect(reviews.length).toBe(3);
  expect(server.metrics.all.text()).toMatch(
    /decisions_total\{decision="denied",name="a",type="Webhook"\} 1\n/,
  );
});

test("webhookAuthorizer: decisions are cached, each kind for its time, and long requests never", async () => {
  const { serve, get, reviews, clock } = await openWorld([entry("a")]);
  serve("a", ({ spec }) => ({ allowed: spec.resourceAttributes?.resource === "pods" }));
  const asked = async (path: string) => {
    const before = reviews.length;
    await get(path);
    return reviews.length - before;
  };
  expect(await asked("/api/v1/pods")).toBe(1);
  expect(await asked("/api/v1/pods")).toBe(0);
  expect(await asked("/api/v1/pods?labelSelector=a%3Db")).toBe(1);
  expect(await asked("/api/v1/secrets")).toBe(1);
  await clock.advance(30_000);
  expect([await asked("/api/v1/pods"), await asked("/api/v1/secrets")]).toEqual([0, 1]);
  await clock.advance(270_000);
  expect(await asked("/api/v1/pods")).toBe(1);
  const long = `/api/v1/namespaces/n/pods/${"x".repeat(10_000)}`;
  expect([await asked(long), await asked(long)]).toEqual([1, 1]);
});

test("webhookAuthorizer: conditions say about which requests a webhook is asked", async () => {
  const only = conditions(
    "has(request.resourceAttributes)",
    "request.resourceAttributes.namespace == 'n' && !('admins' in request.groups)",
    "request.resourceAttributes.?labelSelector.requirements.orValue([]).all(r, r.key != 'x')",
  );
  const { serve, get, reviews, server } = await openWorld([entry("a", { conditions: only })]);
  serve("a", () => ({ allowed: true }));
  const statusOf = async (path: string) => (await get(path)).status;
  expect(await statusOf("/api/v1/namespaces/n/pods")).toBe(200);
  expect(reviews.length).toBe(1);
  for (const path of ["/api/v1/pods", "/readyz", "/api/v1/namespaces/n/pods?labelSelector=x"])
    expect([path, await statusOf(path)]).toEqual([path, 403]);
  expect(reviews.length).toBe(1);
  expect(server.metrics.all.text()).toMatch(
    /match_condition_exclusions_total\{name="a",type="Webhook"\} 3\n/,
  );
});

test("webhookAuthorizer: a condition that cannot be evaluated is a failure", async () => {
  const failing = conditions("request.resourceAttributes.namespace == 'n'");
  for (const [onFailure, expected] of [
    ["no opinion", 500],
    ["deny", 500],
  ] as const) {
    const { get, reviews } = await openWorld([entry("a", { conditions: failing, onFailure })]);
    expect(await get("/readyz")).toEqual({
      status: expected,
      text: "Internal Server Error: \"/readyz\": cel evaluation error: expression 'request.resourceAttributes.namespace == 'n'' resulted in error: no such key: resourceAttributes\n",
    });
    expect(reviews).toEqual([]);
  }
});

test("webhookAuthorizer: reviews of rights say what went wrong, and that rules are incomplete", async () => {
  const { serve, server } = await openWorld([entry("a"), rbac]);
  serve("a", () => ({ code: 403, headers: { "Content-Type": "text/plain" }, body: "away" }));
  const ask = async (path: string, spec: object) => {
    const peer = { commonName: "admin", organizations: ["system:masters"] };
    const { text } = await send(server, { method: "POST", path, body: { spec }, peer });
    return JSON.parse(text).status;
  };
  const group = "/apis/authorization.k8s.io/v1";
  const attributes = { resourceAttributes: { verb: "list", resource: "pods" } };
  expect(await ask(`${group}/subjectaccessreviews`, { user: "jane", ...attributes })).toEqual({
    allowed: false,
    evaluationError: "away",
  });
  expect(await ask(`${group}/selfsubjectrulesreviews`, { namespace: "n" })).toMatchObject({
    incomplete: true,
    evaluationError: "webhook authorizer does not support user rule resolution",
  });
});

test("webhookAuthorizer: authorizers are replaced while the server runs", async () => {
  const { serve, get, server } = await openWorld([entry("a")]);
  serve("a", () => ({ allowed: true }));
  expect((await get("/api/v1/pods")).status).toBe(200);
  server.replaceAuthorizers([rbac]);
  expect((await get("/api/v1/pods")).status).toBe(403);
});
