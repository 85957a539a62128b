import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { openServer, send } from "../in-process.test-support.ts";
import type { ApiServer } from "../server.ts";

let server: ApiServer;
beforeEach(async () => {
  server = await openServer(new VirtualClock(Date.UTC(2026, 0, 1)));
});
afterEach(() => server.close());

const pods = "/api/v1/namespaces/default/pods";
const budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
const merge = { "content-type": "application/merge-patch+json" };

async function ask(method: string, path: string, body?: unknown, headers = {}) {
  const { status, text } = await send(server, {
    method,
    path,
    headers,
    ...(body !== undefined && { body }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked at by the tests.
  return { status, body: JSON.parse(text) as any };
}

const pod = (name: string, more: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, labels: { app: "a" } },
  spec: { containers: [{ name: "c", image: "i" }], ...more },
});
const binding = (name: string, more: object = {}) => ({
  apiVersion: "v1",
  kind: "Binding",
  metadata: { name, ...more },
  target: { kind: "Node", name: "n1" },
});
const eviction = (name: string, more: object = {}) => ({
  apiVersion: "policy/v1",
  kind: "Eviction",
  metadata: { name },
  ...more,
});

describe("binding", () => {
  test("assigns a pod to a node, with annotations and labels", async () => {
    await ask("POST", pods, pod("p"));
    const more = { annotations: { a: "1" }, labels: { zone: "z" } };
    const { status, body } = await ask("POST", `${pods}/p/binding`, binding("p", more));
    expect([status, body.status]).toEqual([201, "Success"]);
    const { body: bound } = await ask("GET", `${pods}/p`);
    expect(bound.spec.nodeName).toBe("n1");
    expect(bound.metadata).toMatchObject({
      annotations: { a: "1" },
      labels: { app: "a", zone: "z" },
    });
    expect(bound.status.conditions).toMatchObject([
      { type: "PodScheduled", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" },
    ]);
  });
  test("sets the label of the node's zone, whatever the binding has", async () => {
    const labels = { "topology.kubernetes.io/zone": "z" };
    const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n1", labels } };
    await ask("POST", "/api/v1/nodes", node);
    await ask("POST", pods, pod("p"));
    await ask("POST", `${pods}/p/binding`, binding("p"));
    expect((await ask("GET", `${pods}/p`)).body.metadata.labels).toEqual({ app: "a", ...labels });
  });
  test("a pod that has a node cannot be assigned again", async () => {
    await ask("POST", pods, pod("p"));
    await ask("PATCH", `${pods}/p/status`, { status: { nominatedNodeName: "n2" } }, merge);
    expect((await ask("GET", `${pods}/p`)).body.status.nominatedNodeName).toBe("n2");
    await ask("POST", `${pods}/p/binding`, binding("p"));
    expect((await ask("GET", `${pods}/p`)).body.status.nominatedNodeName).toBe(undefined);
  });
  test("a dry run does not assign the pod", async () => {
    await ask("POST", pods, pod("p"));
    await ask("POST", `${pods}/p/binding?dryRun=All`, binding("p"));
    expect((await ask("GET", `${pods}/p`)).body.spec.nodeName).toBe(undefined);
  });
  test.each([
    ["another name", binding("q"), 400, "name in URL does not match name in Binding object"],
    [
      "a target without a name",
      { ...binding("p"), target: {} },
      500,
      "target.name: Required value",
    ],
    [
      "a target that is not a node",
      { ...binding("p"), target: { kind: "Pod", name: "n" } },
      500,
      'target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"',
    ],
    [
      "another uid",
      binding("p", { uid: "u" }),
      409,
      /Precondition failed: UID in precondition: u, UID in object meta: /,
    ],
    [
      "another version",
      binding("p", { resourceVersion: "1" }),
      409,
      /Precondition failed: ResourceVersion in precondition: 1, /,
    ],
  ])("is rejected: %s", async (_, body, code, message) => {
    await ask("POST", pods, pod("p"));
    const answer = await ask("POST", `${pods}/p/binding`, body);
    expect([answer.status, answer.body.message]).toEqual([
      code,
      typeof message === "string" ? message : expect.stringMatching(message),
    ]);
  });
  test("one of many concurrent bindings of a pod succeeds", async () => {
    await ask("POST", pods, pod("p"));
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        ask("POST", `${pods}/p/binding`, { ...binding("p"), target: { name: `n${i}` } }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(7);
  });
  test("supports no other verbs", async () => {
    await ask("POST", pods, pod("p"));
    expect((await ask("GET", `${pods}/p/binding`)).status).toBe(405);
  });
});

describe("eviction", () => {
  const running = async (name: string) => {
    await ask("POST", pods, pod(name, { nodeName: "n1", terminationGracePeriodSeconds: 30 }));
    await ask(
      "PATCH",
      `${pods}/${name}/status`,
      { status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] } },
      merge,
    );
  };
  const allow = async (disruptionsAllowed: number) => {
    await ask("POST", budgets, {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name: "b" },
      spec: { minAvailable: 1, selector: { matchLabels: { app: "a" } } },
    });
    await ask(
      "PATCH",
      `${budgets}/b/status`,
      {
        status: {
          observedGeneration: 1,
          disruptionsAllowed,
          currentHealthy: 9,
          desiredHealthy: 1,
          expectedPods: 9,
        },
      },
      merge,
    );
  };

  test("a pending pod is removed at once", async () => {
    await ask("POST", pods, pod("p"));
    expect((await ask("POST", `${pods}/p/eviction`, eviction("p"))).status).toBe(201);
    expect((await ask("GET", `${pods}/p`)).status).toBe(404);
  });
  test.each([
    ["policy/v1beta1", 201],
    ["policy/v1beta2", 400],
    ["v1", 400],
  ])("what names version %s is answered with %i", async (apiVersion, code) => {
    await ask("POST", pods, pod("p"));
    const answer = await ask("POST", `${pods}/p/eviction`, eviction("p", { apiVersion }));
    expect(answer.status).toBe(code);
    expect((await ask("GET", `${pods}/p`)).status).toBe(code === 201 ? 404 : 200);
  });
  test("errors name the version that was sent", async () => {
    const body = { ...eviction("p", { apiVersion: "policy/v1beta1" }), foo: 1 };
    const answer = await ask("POST", `${pods}/p/eviction?fieldValidation=Strict`, body);
    expect(answer.body.message).toBe(
      'Eviction in version "v1beta1" cannot be handled as a Eviction: strict decoding error: unknown field "foo"',
    );
  });
  test("a running pod gets a condition with the reason", async () => {
    await running("p");
    expect((await ask("POST", `${pods}/p/eviction`, eviction("p"))).status).toBe(201);
    const { body } = await ask("GET", `${pods}/p`);
    expect(body.metadata.deletionTimestamp).toBe("2026-01-01T00:00:30Z");
    expect(body.status.conditions).toContainEqual(
      expect.objectContaining({
        type: "DisruptionTarget",
        status: "True",
        reason: "EvictionByEvictionAPI",
        message: "Eviction API: evicting",
      }),
    );
  });
  test("concurrent evictions spend the budget once each", async () => {
    const names = ["p0", "p1", "p2", "p3"];
    for (const name of names) await running(name);
    await allow(2);
    const answers = await Promise.all(
      names.map((name) => ask("POST", `${pods}/${name}/eviction`, eviction(name))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 429, 429]);
    const { body } = await ask("GET", `${budgets}/b`);
    expect(body.status.disruptionsAllowed).toBe(0);
    expect(Object.keys(body.status.disruptedPods)).toHaveLength(2);
    expect(body.status.conditions).toMatchObject([
      { type: "DisruptionAllowed", status: "False", reason: "InsufficientPods" },
    ]);
  });
  test("a dry run changes neither pod nor budget", async () => {
    await running("p");
    await allow(1);
    expect((await ask("POST", `${pods}/p/eviction?dryRun=All`, eviction("p"))).status).toBe(201);
    expect((await ask("GET", `${pods}/p`)).body.metadata.deletionTimestamp).toBe(undefined);
    expect((await ask("GET", `${budgets}/b`)).body.status.disruptionsAllowed).toBe(1);
  });
  test("rejects options that contradict the query", async () => {
    await running("p");
    const options = { deleteOptions: { dryRun: ["Some"] } };
    const { status, body } = await ask(
      "POST",
      `${pods}/p/eviction?dryRun=All`,
      eviction("p", options),
    );
    expect([status, body.message]).toEqual([
      500,
      "Non-matching dry-run options in request and content: [All] and [Some]",
    ]);
  });
});
