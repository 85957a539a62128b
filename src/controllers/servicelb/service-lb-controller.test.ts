import { expect, test } from "vitest";
import { Service } from "../../api/core/v1/service/service.ts";
import { partsOf, runningCluster } from "../running.test-support.ts";
import { serviceLbModule } from "./service-lb-module.ts";

const parts = (range: string) =>
  partsOf(serviceLbModule, { values: { "load-balancer-range": range } });

const balanced = (name: string) => ({
  metadata: { name, namespace: "default" },
  spec: { type: "LoadBalancer", ports: [{ port: 80 }] },
});

test("services of type LoadBalancer have an address until they change their type", async () => {
  const cluster = await runningCluster(...parts("10.199.0.128/29"));
  const addressOf = async (name: string) => {
    const { status } = await cluster.client.get(Service, { namespace: "default", name });
    return status?.loadBalancer?.ingress?.map(({ ip, ipMode }) => `${ip} ${ipMode}`) ?? [];
  };
  await cluster.client.create(Service, balanced("a"));
  await cluster.client.create(Service, balanced("b"));
  await cluster.settled();
  expect([await addressOf("a"), await addressOf("b")]).toEqual([
    ["10.199.0.129 VIP"],
    ["10.199.0.130 VIP"],
  ]);
  const key = { namespace: "default", name: "a" };
  await cluster.client.patch(Service, key, { merge: { spec: { type: "ClusterIP" } } });
  await cluster.client.create(Service, balanced("c"));
  await cluster.settled();
  expect([await addressOf("a"), await addressOf("c")]).toEqual([[], ["10.199.0.129 VIP"]]);
  await cluster.end();
});

test("a range that cannot be parsed is an error", () => {
  expect(() => parts("10.0.0.0")).toThrow(
    'invalid --load-balancer-range: "10.0.0.0" is not a range',
  );
  expect(() => parts("10.0.0.0/29,10.1.0.0/29")).toThrow("at most one range of each IP family");
});
