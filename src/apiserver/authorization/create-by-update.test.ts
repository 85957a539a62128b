import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { openServer, send } from "../in-process.test-support.ts";
import type { ApiServer } from "../server.ts";

const group = "rbac.authorization.k8s.io";
const api = `/apis/${group}/v1`;

describe("who may update but not create", () => {
  let server: ApiServer;
  const joe = { commonName: "joe", organizations: [] };
  beforeAll(async () => {
    server = await openServer(new VirtualClock(0));
    const metadata = { name: "joe" };
    const rules = [
      { verbs: ["update", "patch"], apiGroups: ["coordination.k8s.io", ""], resources: ["*"] },
    ];
    const subjects = [{ kind: "User", apiGroup: group, name: "joe" }];
    const roleRef = { apiGroup: group, kind: "ClusterRole", name: "joe" };
    const policy = {
      clusterroles: { metadata, rules },
      clusterrolebindings: { metadata, roleRef, subjects },
    };
    for (const [plural, body] of Object.entries(policy))
      await send(server, { method: "POST", path: `${api}/${plural}`, body });
  });
  afterAll(() => server.close());

  const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
  const cannot = (resource: string, of: string) =>
    `User "joe" cannot create resource "${resource}" in API group "${of}" in the namespace "default"`;

  test("cannot create by an update", async () => {
    const body = { metadata: { name: "a" }, spec: {} };
    const { text } = await send(server, { method: "PUT", path: `${leases}/a`, body, peer: joe });
    expect(JSON.parse(text)).toMatchObject({
      code: 403,
      message: `leases.coordination.k8s.io "a" is forbidden: ${cannot("leases", "coordination.k8s.io")}`,
    });
  });

  test("cannot create by an apply", async () => {
    const { text } = await send(server, {
      method: "PATCH",
      path: "/api/v1/namespaces/default/configmaps/a?fieldManager=m",
      headers: { "content-type": "application/apply-patch+yaml" },
      body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } },
      peer: joe,
    });
    expect(JSON.parse(text)).toMatchObject({
      code: 403,
      message: `configmaps "a" is forbidden: ${cannot("configmaps", "")}`,
    });
  });

  test("gets validation errors first", async () => {
    const body = { metadata: { name: "a" }, spec: { leaseDurationSeconds: -1 } };
    const { status } = await send(server, { method: "PUT", path: `${leases}/a`, body, peer: joe });
    expect(status).toEqual(422);
  });

  test("can update an existing object", async () => {
    const path = "/api/v1/namespaces/default/configmaps";
    const body = { metadata: { name: "b" }, data: { a: "b" } };
    await send(server, { method: "POST", path, body });
    const { status } = await send(server, { method: "PUT", path: `${path}/b`, body, peer: joe });
    expect(status).toEqual(200);
  });
});
