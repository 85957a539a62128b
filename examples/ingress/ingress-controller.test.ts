import { get } from "node:http";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Ingress, IngressClass, Service } from "wherry/api";
import { createManager } from "wherry/controller";
import { type Cluster, startCluster } from "wherry/testing";
import { ingressProxy, ingressStatus } from "./ingress-controller.ts";
import type { RunningProxy } from "./proxy.ts";
import { controllerName } from "./routes.ts";

let cluster: Cluster;
let stop: AbortController;
let running: Promise<void>;
let proxy: Promise<RunningProxy>;

beforeEach(async () => {
  cluster = await startCluster({ clock: "virtual" });
  const { client } = cluster;
  for (const [name, controller] of [
    ["example", controllerName],
    ["other", "example.com/other"],
  ])
    await client.create(IngressClass, { metadata: { name }, spec: { controller } });
  await client.create(Service, {
    metadata: { name: "ingress" },
    spec: { type: "LoadBalancer", ports: [{ port: 80 }] },
  });
  await client.create(Service, {
    metadata: { name: "web" },
    spec: { ports: [{ port: 80 }] },
  });
  await setAddress("192.0.2.1");
  stop = new AbortController();
  proxy = new Promise((onServing) => {
    const listening = { httpPort: 0, httpsPort: 0, address: "127.0.0.1", onServing };
    running = createManager({
      ...cluster,
      controllers: [ingressStatus({ namespace: "default", name: "ingress" })],
      runnables: [ingressProxy(listening)],
    }).run({ signal: stop.signal });
  });
  await cluster.settled();
});
afterEach(async () => {
  stop.abort();
  await cluster.advance("1s");
  await running;
  await cluster.close();
});

const setAddress = (ip: string) =>
  cluster.client.patch(
    Service,
    { name: "ingress" },
    { merge: { status: { loadBalancer: { ingress: [{ ip }] } } } },
    { subresource: "status" },
  );

const addIngress = (name: string, ingressClassName: string) =>
  cluster.client.create(Ingress, {
    metadata: { name },
    spec: {
      ingressClassName,
      defaultBackend: { service: { name: "web", port: { number: 80 } } },
    },
  });

const addressesOf = async (name: string) =>
  (await cluster.client.get(Ingress, { name })).status.loadBalancer.ingress?.map(({ ip }) => ip);

test("the status of an Ingress has the address of the proxy's Service, and follows it", async () => {
  await addIngress("own", "example");
  await addIngress("foreign", "other");
  await cluster.settled();
  expect([await addressesOf("own"), await addressesOf("foreign")]).toEqual([
    ["192.0.2.1"],
    undefined,
  ]);
  await setAddress("192.0.2.2");
  await cluster.settled();
  expect(await addressesOf("own")).toEqual(["192.0.2.2"]);
  const merge = { spec: { ingressClassName: "other" } };
  await cluster.client.patch(Ingress, { name: "own" }, { merge });
  await cluster.settled();
  expect(await addressesOf("own")).toBeUndefined();
});

test("requests follow the ingresses", async () => {
  expect(await ask()).toEqual([404, "404\n"]);
  await addIngress("own", "example");
  await cluster.settled();
  // The service has no endpoints.
  expect(await ask()).toEqual([503, "503\n"]);
  await cluster.client.delete(Ingress, { name: "own" });
  await cluster.settled();
  expect(await ask()).toEqual([404, "404\n"]);
});

async function ask(): Promise<readonly [number | undefined, string]> {
  const { httpPort } = await proxy;
  return new Promise((resolve, reject) => {
    get({ host: "127.0.0.1", port: httpPort, agent: false }, async (response) =>
      resolve([response.statusCode, await text(response)]),
    ).on("error", reject);
  });
}
