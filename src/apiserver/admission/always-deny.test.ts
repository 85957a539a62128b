import { expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { MemoryStore } from "../../store/memory/memory-store.ts";
import { openServer, send } from "../in-process.test-support.ts";
import type { Operation } from "./admission.ts";
import { alwaysDeny } from "./always-deny.ts";
import { admitted, rejectionBy } from "./attributes.test-support.ts";

test.each(["CREATE", "UPDATE", "DELETE", "CONNECT"] satisfies Operation[])(
  "alwaysDeny: %s",
  async (operation) => {
    const refused = 'pods "a" is forbidden: admission control is denying all modifications';
    expect(await admitted(alwaysDeny, { operation })).toEqual(refused);
    expect(await rejectionBy(alwaysDeny, { operation })).toEqual(refused);
  },
);

const why = "is forbidden: admission control is denying all modifications";
const maps = "/api/v1/namespaces/default/configmaps";
const configMap = (name?: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
const merge = { "content-type": "application/merge-patch+json" };
const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "a" } };
const review = {
  apiVersion: "authorization.k8s.io/v1",
  kind: "SelfSubjectAccessReview",
  spec: { nonResourceAttributes: { path: "/", verb: "get" } },
};

test.each([
  ["POST", maps, configMap("a"), `configmaps "a" ${why}`],
  ["POST", maps, { ...configMap(), metadata: { generateName: "a-" } }, `configmaps "a-" ${why}`],
  ["POST", maps, configMap(), `configmaps "Unknown" ${why}`],
  ["PUT", `${maps}/there`, configMap("there"), `configmaps "there" ${why}`],
  ["PATCH", `${maps}/there`, {}, `configmaps "there" ${why}`],
  ["DELETE", `${maps}/there`, undefined, `configmaps "there" ${why}`],
  ["DELETE", maps, undefined, `configmaps "Unknown" ${why}`],
  ["DELETE", `${maps}/none`, undefined, 'configmaps "none" not found'],
  ["POST", "/api/v1/namespaces/default/pods/a/eviction", eviction, `pods "a" ${why}`],
  [
    "POST",
    "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    review,
    `selfsubjectaccessreviews.authorization.k8s.io "Unknown" ${why}`,
  ],
])("alwaysDeny: %s %s", async (method, path, body, message) => {
  const [clock, store] = [new VirtualClock(0), new MemoryStore(new VirtualClock(0))];
  const before = await openServer(clock, store);
  await send(before, { method: "POST", path: maps, body: configMap("there") });
  before.close();
  const server = await openServer(clock, store, { admission: { enable: ["AlwaysDeny"] } });
  const headers = method === "PATCH" ? merge : {};
  const { text } = await send(server, { method, path, body, headers });
  expect(JSON.parse(text)).toMatchObject({ message });
  expect((await send(server, { path: `${maps}/there` })).status).toEqual(200);
  server.close();
});
