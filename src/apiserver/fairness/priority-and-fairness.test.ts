import { expect, onTestFinished, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import type { AdmissionPlugin } from "../admission/admission.ts";
import { openServer, send, type TestRequest } from "../in-process.test-support.ts";

/** A server with few seats, whose creates of config maps wait until they are let through. */
async function openSlowServer() {
  const clock = new VirtualClock();
  const held: (() => void)[] = [];
  const slow: AdmissionPlugin = {
    name: "Slow",
    operations: ["CREATE"],
    resources: ["/configmaps"],
    validate: () => new Promise((resolve) => held.push(resolve)),
  };
  const server = await openServer(clock, undefined, {
    priorityAndFairness: true,
    maxInFlight: { reading: 20, writing: 10 },
    admission: { also: [slow] },
  });
  onTestFinished(() => server.close());
  let count = 0;
  const create = (user: string) =>
    send(server, {
      method: "POST",
      path: "/api/v1/namespaces/default/configmaps",
      headers: { "impersonate-user": user, "impersonate-group": "system:authenticated" },
      body: { metadata: { name: `c${count++}` } },
    });
  const asAdmin = (request: TestRequest) => send(server, request);
  return { server, clock, held, create, asAdmin };
}

/** Lets all promises that are ready go on. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

const grant = {
  method: "POST",
  path: "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
  body: {
    metadata: { name: "all" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "edit" },
    subjects: [
      { apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "system:authenticated" },
    ],
  },
};

test("priority and fairness: another user's request is served before those of a greedy one that wait", async () => {
  const { held, create, asAdmin } = await openSlowServer();
  expect((await asAdmin(grant)).status).toBe(201);
  const order: string[] = [];
  const sent = (user: string) => create(user).then(({ status }) => order.push(`${user} ${status}`));
  const greedy = Array.from({ length: 60 }, () => sent("greedy"));
  await settle();
  const atOnce = held.length;
  // 20 of 245 shares of 30 seats, and what other levels lend.
  expect(atOnce).toBeGreaterThanOrEqual(2);
  expect(atOnce).toBeLessThan(60);
  const modest = sent("modest");
  // One after the other ends: the modest user's request is among the next.
  while (!order.some((line) => line.startsWith("modest"))) {
    held.shift()?.();
    await settle();
  }
  expect(order.length).toBeLessThan(atOnce + 10);
  while (held.length > 0) {
    held.shift()?.();
    await settle();
  }
  await Promise.all([...greedy, modest]);
  expect(order.filter((line) => line === "greedy 201")).toHaveLength(60);
});

test("priority and fairness: requests that wait too long get 429, and the level's headers", async () => {
  const { clock, held, create, asAdmin } = await openSlowServer();
  await asAdmin(grant);
  const responses = Array.from({ length: 40 }, () => create("greedy"));
  await settle();
  // A quarter of the time limit of a minute. Before that, the level borrows seats of others.
  await clock.advance(15_000);
  const waited = await Promise.all(responses.slice(-3));
  for (const { status, text, headers } of waited)
    expect([
      status,
      text,
      headers["retry-after"],
      typeof headers["x-kubernetes-pf-flowschema-uid"],
    ]).toEqual([
      429,
      "Too many requests, please try again later.\n",
      expect.stringMatching(/^\d+$/),
      "string",
    ]);
  const { text } = await asAdmin({ path: "/metrics" });
  const label = `flow_schema="global-default",priority_level="global-default",reason="time-out"`;
  const series = new RegExp(`rejected_requests_total\\{${label}\\} (\\d+)`).exec(text);
  expect(Number(series?.[1])).toBe(40 - held.length);
  for (const release of held) release();
  await Promise.all(responses);
});

test("priority and fairness: administrators and probes never wait", async () => {
  const { server, held, create, asAdmin } = await openSlowServer();
  await asAdmin(grant);
  const responses = Array.from({ length: 40 }, () => create("greedy"));
  await settle();
  expect((await asAdmin({ path: "/api/v1/namespaces/default" })).status).toBe(200);
  expect((await send(server, { path: "/livez", headers: {} })).status).toBe(200);
  while (held.length > 0) {
    held.shift()?.();
    await settle();
  }
  await Promise.all(responses);
});

test("priority and fairness: a change of a priority level holds from the next request on", async () => {
  const { held, create, asAdmin } = await openSlowServer();
  await asAdmin(grant);
  const path = "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations/global-default";
  const patch = {
    metadata: { annotations: { "apf.kubernetes.io/autoupdate-spec": "false" } },
    spec: {
      limited: {
        nominalConcurrencyShares: 0,
        lendablePercent: 0,
        borrowingLimitPercent: 0,
        limitResponse: { type: "Reject", queuing: null },
      },
    },
  };
  const headers = { "content-type": "application/merge-patch+json" };
  expect((await asAdmin({ method: "PATCH", path, headers, body: patch })).status).toBe(200);
  // Without seats, one request is executed at a time.
  const first = create("greedy");
  await settle();
  expect((await create("greedy")).status).toBe(429);
  held.shift()?.();
  expect((await first).status).toBe(201);
});

test("priority and fairness: the pages show levels, queues and requests", async () => {
  const { held, create, asAdmin } = await openSlowServer();
  await asAdmin(grant);
  const request = create("jane");
  await settle();
  const page = async (name: string) =>
    (await asAdmin({ path: `/debug/api_priority_and_fairness/${name}` })).text.split("\n");
  const levels = await page("dump_priority_levels");
  expect(levels[0]).toMatch(/^PriorityLevelName, +ActiveQueues, +IsIdle, +IsQuiescing, /);
  expect(levels.find((line) => line.startsWith("global-default"))).toMatch(
    /^global-default, +0, +false, +false, +0, +1, +\d+, +0, +0, +0$/,
  );
  expect(await page("dump_queues")).toContainEqual(
    expect.stringMatching(/^global-default, +\d+, +0, +1, +1, +0\.00\d{6}ss, +0, +0, +0\.0{8}ss$/),
  );
  const requests = await asAdmin({
    path: "/debug/api_priority_and_fairness/dump_requests?includeRequestDetails=1",
  });
  expect(requests.text).toMatch(
    /\nglobal-default, +global-default, +\d+, +-1, +jane, +\S+Z, +1, +0, +0s, +\S+Z, +jane, +create, +\/api\/v1\/namespaces\/default\/configmaps, +default, +, +v1, +configmaps, +\n/,
  );
  held.shift()?.();
  await request;
});
