import { expect, onTestFinished, test } from "vitest";
import { Service } from "../../api/core/v1/service/service.ts";
import { ServiceCIDR } from "../../api/networking/v1/service-cidr.ts";
import { accountedCluster } from "../accounted-cluster.test-support.ts";
import { partsOf } from "../running.test-support.ts";
import { serviceCidrModule } from "./service-cidr-module.ts";

const finalizer = "networking.k8s.io/service-cidr-finalizer";

async function start() {
  const cluster = await accountedCluster({ runnables: partsOf(serviceCidrModule) });
  onTestFinished(() => cluster.end());
  const { client, settled } = cluster;
  const add = async (name: string, ...cidrs: string[]) => {
    await client.create(ServiceCIDR, { metadata: { name }, spec: { cidrs } });
    await settled();
  };
  const find = async (name: string) =>
    (await client.list(ServiceCIDR)).items.find(({ metadata }) => metadata.name === name);
  const ready = async (name: string) => (await find(name))?.status.conditions;
  const serve = (name: string, clusterIP: string) =>
    client.create(Service, {
      metadata: { name, namespace: "default" },
      spec: { clusterIP, ports: [{ port: 80 }] },
    });
  return { ...cluster, add, find, ready, serve };
}

const isReady = {
  type: "Ready",
  status: "True",
  reason: "",
  message: "Kubernetes Service CIDR is ready",
  lastTransitionTime: "2026-01-01T00:00:00Z",
};

test("ranges get the finalizer and are ready, the default range included", async () => {
  const { add, find, ready, advance, writes } = await start();
  await add("more", "192.168.7.0/24");
  for (const name of ["kubernetes", "more"]) {
    expect((await find(name))?.metadata.finalizers).toEqual([finalizer]);
    expect(await ready(name)).toEqual([isReady]);
  }
  const count = writes.length;
  await advance("1h");
  expect(writes.length).toBe(count);
});

test("a deleted range stays while a service has an address in it", async () => {
  const { client, add, find, ready, serve, settled, advance } = await start();
  await add("more", "192.168.7.0/24");
  await serve("web", "192.168.7.9");
  await client.delete(ServiceCIDR, { name: "more" });
  await advance("1m");
  expect(await ready("more")).toEqual([
    {
      type: "Ready",
      status: "False",
      reason: "Terminating",
      message:
        "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR",
      lastTransitionTime: "2026-01-01T00:00:00Z",
    },
  ]);
  await client.delete(Service, { namespace: "default", name: "web" });
  await settled();
  expect(await find("more")).toBeUndefined();
});

test("a deleted range without addresses is gone ten seconds later", async () => {
  const { client, add, find, advance } = await start();
  await add("more", "192.168.7.0/24");
  await client.delete(ServiceCIDR, { name: "more" });
  await advance("9s");
  expect(await find("more")).toBeDefined();
  await advance("1s");
  expect(await find("more")).toBeUndefined();
});

test("a new range around a deleted one takes over its addresses", async () => {
  const { client, add, find, serve, advance } = await start();
  await add("more", "192.168.7.0/24");
  await serve("web", "192.168.7.9");
  await client.delete(ServiceCIDR, { name: "more" });
  await advance("1m");
  expect(await find("more")).toBeDefined();
  await add("larger", "192.168.0.0/16");
  expect(await find("more")).toBeUndefined();
});
