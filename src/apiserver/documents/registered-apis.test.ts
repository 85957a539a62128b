import { expect, test } from "vitest";
import type { APIServiceSpec } from "../../api/apiregistration/v1/api-service.ts";
import { openCluster, type TestCluster } from "../bootstrap/cluster.test-support.ts";
import { registeredGroups } from "./registered-apis.ts";

const services = "/apis/apiregistration.k8s.io/v1/apiservices";
const api = (group: string, version: string, first = 1000, second = 100): APIServiceSpec => ({
  group,
  version,
  groupPriorityMinimum: first,
  versionPriority: second,
});
const register = (cluster: TestCluster, spec: APIServiceSpec) =>
  cluster.ask({
    method: "POST",
    path: services,
    body: {
      apiVersion: "apiregistration.k8s.io/v1",
      kind: "APIService",
      metadata: { name: `${spec.version}.${spec.group}` },
      spec,
    },
  });

test("registered groups: are sorted by priority, then by the name of their first registration", () => {
  const specs = [
    api("low", "v1", 10),
    api("b", "v2"),
    api("z", "v1"),
    api("high", "v1", 19000),
    api("mixed", "v1", 10),
    api("mixed", "v2", 18500),
  ];
  const served = [
    { name: "", versions: ["v1"] },
    { name: "apiregistration.k8s.io", versions: ["v1"] },
  ];
  expect(registeredGroups(specs, served).map(({ name }) => name)).toEqual([
    "apiregistration.k8s.io",
    "high",
    "mixed",
    "",
    "z",
    "b",
    "low",
  ]);
});

test("registered groups: versions come by priority, then the most mature and newest first", () => {
  const specs = [
    api("g", "v1beta1"),
    api("g", "v1"),
    api("g", "v2alpha1", 1000, 101),
    api("g", "v10"),
    api("g", "odd"),
  ];
  expect(registeredGroups(specs, [])).toEqual([
    { name: "g", versions: ["v2alpha1", "v10", "v1", "v1beta1", "odd"] },
  ]);
});

test("registered groups: served groups are in discovery before they are registered", () => {
  const served = [
    { name: "g", versions: ["v1"] },
    { name: "apps", versions: ["v1"] },
  ];
  expect(registeredGroups([], served).map(({ name }) => name)).toEqual(["apps", "g"]);
});

test("registered groups: groups that others register are in discovery", async () => {
  const cluster = await openCluster();
  await register(cluster, api("a.example.com", "v1", 17777));
  const { body } = await cluster.ask("/apis");
  const names = body.groups.map(({ name }: { name: string }) => name);
  expect(names.slice(0, 4)).toEqual([
    "apiregistration.k8s.io",
    "apps",
    "a.example.com",
    "events.k8s.io",
  ]);
  expect((await cluster.ask("/apis/a.example.com")).body).toEqual({
    kind: "APIGroup",
    apiVersion: "v1",
    name: "a.example.com",
    versions: [{ groupVersion: "a.example.com/v1", version: "v1" }],
    preferredVersion: { groupVersion: "a.example.com/v1", version: "v1" },
  });
  expect((await cluster.ask("/apis/a.example.com/v1")).status).toEqual(404);
  await cluster.remove(`${services}/v1.a.example.com`);
  expect((await cluster.ask("/apis/a.example.com")).status).toEqual(404);
});

test("registered groups: requests for another server's group are unavailable, even if it is served here", async () => {
  const cluster = await openCluster();
  const service = { namespace: "n", name: "s", port: 443 };
  await register(cluster, { ...api("far.example.com", "v1"), service });
  await cluster.merge(`${services}/v1.batch`, { spec: { service } });
  const refused = { status: 503, body: "service unavailable\n" };
  for (const path of [
    "/apis/far.example.com/v1",
    "/apis/far.example.com/v1/things",
    "/apis/batch/v1/namespaces/default/jobs/a",
  ])
    expect(await cluster.ask(path)).toEqual(refused);
  expect((await cluster.ask("/apis/far.example.com")).status).toEqual(200);
  await cluster.merge(`${services}/v1.batch`, { spec: { service: null } });
  expect((await cluster.ask("/apis/batch/v1")).status).toEqual(200);
});
