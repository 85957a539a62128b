import { expect, test } from "vitest";
import { eventually } from "../eventually.ts";
import { assets, startEnvironment } from "./test-environment.test-support.ts";

const widgets = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { spec: { type: "object", properties: { size: { type: "integer" } } } },
          },
        },
      },
    ],
  },
};
const widget = {
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name: "one" },
  spec: { size: 3 },
};

test("wherry envtest: two environments at once serve custom objects, and stop in order", async () => {
  const folder = assets();
  const both = await Promise.all([startEnvironment(folder), startEnvironment(folder)]);
  const [one, other] = both;
  const place = "/apis/example.com/v1/namespaces/default/widgets";
  expect((await one.call("GET", "/api/v1/namespaces/default")).status).toBe(200);
  await one.call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", widgets);
  await eventually(async () => {
    expect((await one.call("POST", place, widget)).status).toBe(201);
  });
  expect(await one.kubectl("get", "widgets", "-o", "jsonpath={.items[*].spec.size}")).toBe("3");
  expect((await other.call("GET", place)).status).toBe(404);
  // As with upstream's API server alone, nothing reconciles.
  expect(await one.kubectl("get", "serviceaccounts", "-A", "-o", "name")).toBe("");
  expect(await Promise.all(both.map((each) => each.stop()))).toEqual([
    [0, 0],
    [0, 0],
  ]);
});

test("wherry envtest --controllers --nodes: deployments get pods, which become ready", async () => {
  const environment = await startEnvironment(assets("--controllers", "--nodes=1"));
  await environment.kubectl("create", "deployment", "web", "--image=web", "--replicas=2");
  await environment.kubectl("rollout", "status", "deployment/web", "--timeout=60s");
  const pods = await environment.kubectl("get", "pods", "-o", "name");
  expect(pods.match(/^pod\/web-/gm)).toHaveLength(2);
  expect(await environment.stop()).toEqual([0, 0]);
});
