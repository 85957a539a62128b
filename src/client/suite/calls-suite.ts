import { expect } from "vitest";
import { SelfSubjectReview } from "../../api/authentication/v1/self-subject-review.ts";
import { SelfSubjectAccessReview } from "../../api/authorization/v1/self-subject-access-review.ts";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { ClusterRole } from "../../api/rbac/v1/cluster-role.ts";
import { header } from "../transport.ts";
import type { ClientTest } from "./client-suite.ts";

/** Tests of all kinds of requests. */
export function callsSuite(test: ClientTest): void {
  test("a raw request reaches any path, and resolves with any response", async (client) => {
    const version = await client.raw({ method: "GET", path: "/version" });
    expect([version.status, await version.value()]).toMatchObject([200, { major: "1" }]);
    const live = await client.raw({ method: "GET", path: "/livez", query: { verbose: true } });
    expect(await live.value()).toContain("livez check passed");
    const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };
    const path = "/api/v1/namespaces/default/configmaps";
    const query = { dryRun: "All", fieldManager: undefined };
    const created = await client.raw({ method: "POST", path, query, body });
    expect(created.status).toBe(201);
    await created.value();
    const missing = await client.raw({ method: "GET", path: `${path}/a` });
    expect([missing.status, await missing.value()]).toMatchObject([404, { reason: "NotFound" }]);
  });

  test("a raw request sends text and bytes unchanged, with its own headers", async (client) => {
    const path = "/api/v1/namespaces/default/configmaps";
    const yaml = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: ä\n";
    const headers = { "content-type": "application/yaml", accept: "application/yaml" };
    const created = await client.raw({ method: "POST", path, headers, body: yaml });
    expect(header(created, "content-type")).toBe("application/yaml");
    expect(await created.value()).toContain("x: ä");
    const bytes = new TextEncoder().encode(yaml.replace("name: a", "name: b"));
    const second = await client.raw({ method: "POST", path, headers, body: bytes });
    let text = "";
    for await (const chunk of second.bytes()) text += new TextDecoder().decode(chunk);
    expect(text).toContain("name: b");
    expect((await client.get(ConfigMap, { name: "b" })).data).toEqual({ x: "ä" });
  });

  test("requests impersonate a user with all groups", async (client) => {
    const zoe = client.as({
      user: "zoë",
      uid: "u-1",
      groups: ["one", "two, too", "drei ☃"],
      extra: { "example.com/Scope (x)": ["a", "b"], plain: ["ü"] },
    });
    const { status } = await zoe.create(SelfSubjectReview, {});
    expect(status.userInfo).toMatchObject({
      username: "zoë",
      uid: "u-1",
      groups: ["one", "two, too", "drei ☃", "system:authenticated"],
      extra: { "example.com/scope (x)": ["a", "b"], plain: ["ü"] },
    });
    await expect(zoe.list(Pod)).rejects.toMatchObject({
      reason: "Forbidden",
      message:
        'pods is forbidden: User "zoë" cannot list resource "pods" in API group "" at the cluster scope',
    });
    expect(zoe.namespace).toBe(client.namespace);
    const master = zoe.as({ user: "m", groups: ["system:masters"] });
    expect((await master.list(Pod)).items).toEqual([]);
    expect((await client.create(SelfSubjectReview, {})).status.userInfo.username).toBe("admin");
  });

  test("a user with nothing but a name can be impersonated", async (client) => {
    for (const user of ["jane", "zoë", "☃"]) {
      const { status } = await client.as({ user }).create(SelfSubjectReview, {});
      expect(status.userInfo.username).toBe(user);
    }
  });

  test("a client can impersonate a user from the start", async (_, harness) => {
    const robot = harness.client({ impersonate: { user: "robot" } });
    const { status } = await robot.create(SelfSubjectReview, {});
    expect(status.userInfo.username).toBe("robot");
    const resourceAttributes = { verb: "get", resource: "pods" };
    const review = await robot.create(SelfSubjectAccessReview, { spec: { resourceAttributes } });
    expect(review.status.allowed).toBe(false);
  });

  test("an aborted request is not sent", async (client) => {
    const gone = AbortSignal.abort(new Error("enough"));
    const calls = [
      client.get(ConfigMap, { name: "a" }, { signal: gone }),
      client.list(ConfigMap, { signal: gone }),
      client.create(ConfigMap, { metadata: { name: "a" } }, { signal: gone }),
      client.update(ConfigMap, { metadata: { name: "a" } }, { signal: gone }),
      client.patch(ConfigMap, { name: "a" }, { merge: {} }, { signal: gone }),
      client.apply(ConfigMap, { metadata: { name: "a" } }, { fieldManager: "m", signal: gone }),
      client.delete(ConfigMap, { name: "a" }, { signal: gone }),
      client.deleteCollection(ConfigMap, { namespace: "default", signal: gone }),
      client.subresource(Pod, { name: "a" }, "status").get(Pod, { signal: gone }),
      client.raw({ method: "GET", path: "/version", signal: gone }),
    ];
    for (const call of calls) await expect(call).rejects.toThrow("enough");
    expect((await client.list(ConfigMap, { namespace: "default" })).items).toEqual([]);
  });

  test("a request that is aborted while the server works on it ends at once", async (client, harness) => {
    const ending = new AbortController();
    harness.intercept(() => {
      ending.abort(new Error("enough"));
      return undefined;
    });
    const { signal } = ending;
    const listed = client.list(ConfigMap, { signal });
    await expect(listed).rejects.toThrow("enough");
  });

  test("Retry-After delays the next attempt", async (client, harness) => {
    const { clock, intercept, passTime } = harness;
    let refusals = 3;
    const seen: number[] = [];
    intercept(({ method }) => {
      seen.push(clock.now());
      if (method !== "POST" || refusals-- <= 0) return undefined;
      return { status: 429, headers: { "retry-after": "2" }, text: "Too many requests" };
    });
    const begun = clock.now();
    const created = client.create(ConfigMap, { metadata: { name: "a" }, data: { x: "1" } });
    expect((await passTime(created)).data).toEqual({ x: "1" });
    expect(seen.map((at) => at - begun)).toEqual([0, 2000, 4000, 6000]);
  });

  test("after the last retry, the error is thrown", async (_, harness) => {
    const client = harness.client({ retry: { maxRetries: 2 } });
    let calls = 0;
    harness.intercept(() => {
      calls++;
      return { status: 503, headers: { "retry-after": "1" }, text: "not now" };
    });
    const failed = expect(client.get(ConfigMap, { name: "a" })).rejects.toMatchObject({
      reason: "ServiceUnavailable",
      code: 503,
      message: "the server is currently unable to handle the request (get configmaps a)",
      details: { retryAfterSeconds: 1 },
    });
    await harness.passTime(failed);
    expect(calls).toBe(3);
  });

  test("a retry can be aborted while it waits", async (client, harness) => {
    const ending = new AbortController();
    harness.intercept(() => {
      queueMicrotask(() => ending.abort(new Error("enough")));
      return { status: 429, headers: { "retry-after": "5" }, text: "" };
    });
    const waiting = client.get(ConfigMap, { name: "a" }, { signal: ending.signal });
    await expect(waiting).rejects.toThrow("enough");
  });

  test("an error without a Status gets reason and message from the status code", async (client, harness) => {
    const text = "no entry";
    for (const [status, reason, message] of [
      [
        302,
        "",
        "the server responded with the status code 302 but did not return more information",
      ],
      [400, "BadRequest", "the server rejected our request for an unknown reason"],
      [401, "Unauthorized", "the server has asked for the client to provide credentials"],
      [403, "Forbidden", text],
      [404, "NotFound", "the server could not find the requested resource"],
      [405, "MethodNotAllowed", "the server does not allow this method on the requested resource"],
      [406, "NotAcceptable", text],
      [409, "Conflict", "the server reported a conflict"],
      [
        410,
        "",
        "the server responded with the status code 410 but did not return more information",
      ],
      [415, "UnsupportedMediaType", text],
      [422, "Invalid", "the server rejected our request due to an error in our request"],
      [
        429,
        "TooManyRequests",
        "the server has received too many requests and has asked us to try again later",
      ],
      [
        502,
        "InternalError",
        'an error on the server ("no entry") has prevented the request from succeeding',
      ],
      [503, "ServiceUnavailable", "the server is currently unable to handle the request"],
      [
        504,
        "Timeout",
        "the server was unable to return a response in the time allotted, but may still be processing the request",
      ],
    ] as const) {
      const headers = { "content-type": "text/plain; charset=utf-8" };
      harness.intercept(() => ({ status, headers, text: `${text}\n` }));
      await expect(client.get(ClusterRole, { name: "a" }), String(status)).rejects.toMatchObject({
        reason,
        code: status,
        message: `${message} (get clusterroles.rbac.authorization.k8s.io a)`,
        details: { causes: [{ reason: "UnexpectedServerResponse", message: text }] },
      });
    }
    harness.intercept(() => ({ status: 409, headers: {}, text: text }));
    await expect(client.create(ConfigMap, { metadata: { name: "a" } })).rejects.toMatchObject({
      reason: "AlreadyExists",
      message: "the server reported a conflict (post configmaps)",
    });
    const headers = { "content-type": "application/json" };
    harness.intercept(() => ({ status: 500, headers, text: '{"error":"x"}' }));
    await expect(client.list(ConfigMap)).rejects.toThrow(
      'an error on the server ("unknown") has prevented the request from succeeding (get configmaps)',
    );
    const watching = async () => {
      for await (const _ of client.watch(ConfigMap)) return;
    };
    await expect(watching()).rejects.toMatchObject({ code: 500, reason: "InternalError" });
  });
}
