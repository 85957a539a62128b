import { afterEach, beforeEach, expect, test } from "vitest";
import { Event } from "../../api/core/v1/event/event.ts";
import { Endpoints } from "../../api/core/v1/service/endpoints.ts";
import { Service } from "../../api/core/v1/service/service.ts";
import { EndpointSlice } from "../../api/discovery/v1/endpoint-slice.ts";
import { partsOf, type RunningCluster, runningCluster } from "../running.test-support.ts";
import { endpointSliceMirroringModule } from "./endpoint-slice-mirroring-module.ts";

let cluster: RunningCluster;
const start = async (values: Readonly<Record<string, number>> = {}): Promise<void> => {
  cluster = await runningCluster(...partsOf(endpointSliceMirroringModule, { values }));
};
beforeEach(() => start());
afterEach(() => cluster.end());

const addService = (spec: object = {}) =>
  cluster.client.create(Service, {
    metadata: { name: "web" },
    spec: { ports: [{ port: 80 }], ...spec },
  } as never);

const addEndpoints = (ips: readonly string[], metadata: object = {}) =>
  cluster.client.create(Endpoints, {
    metadata: { name: "web", ...metadata },
    subsets: [{ addresses: ips.map((ip) => ({ ip })), ports: [{ port: 8080 }] }],
  } as never);

async function slices(): Promise<readonly EndpointSlice[]> {
  await cluster.settled();
  return (await cluster.client.list(EndpointSlice, { namespace: "default" })).items.filter(
    ({ metadata }) => metadata.labels?.["kubernetes.io/service-name"] === "web",
  );
}

test("Endpoints of a service without a selector are mirrored, and their changes too", async () => {
  await addService();
  const { metadata } = await addEndpoints(["10.9.0.1"], { labels: { team: "blue" } });
  const [slice] = await slices();
  expect(slice).toMatchObject({
    metadata: {
      generateName: "web-",
      labels: {
        team: "blue",
        "endpointslice.kubernetes.io/managed-by": "endpointslicemirroring-controller.k8s.io",
      },
      ownerReferences: [
        {
          apiVersion: "v1",
          kind: "Endpoints",
          name: "web",
          uid: metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    addressType: "IPv4",
    ports: [{ name: "", protocol: "TCP", port: 8080 }],
    endpoints: [{ addresses: ["10.9.0.1"], conditions: { ready: true } }],
  });
  const subsets = [{ addresses: [{ ip: "10.9.0.2" }], ports: [{ port: 8080 }] }];
  await cluster.client.patch(Endpoints, { name: "web" }, { merge: { subsets } as never });
  const all = await slices();
  expect(all).toMatchObject([
    { metadata: { name: slice?.metadata.name }, endpoints: [{ addresses: ["10.9.0.2"] }] },
  ]);
  await cluster.client.delete(Endpoints, { name: "web" });
  expect(await slices()).toEqual([]);
});

test("mirroring follows a service that is created later, gets a selector, or is deleted", async () => {
  await addEndpoints(["10.9.0.1"]);
  expect(await slices()).toEqual([]);
  await addService();
  expect(await slices()).toHaveLength(1);
  const select = (selector: object | null) =>
    cluster.client.patch(Service, { name: "web" }, { merge: { spec: { selector } } as never });
  await select({ app: "web" });
  expect(await slices()).toEqual([]);
  await select(null);
  expect(await slices()).toHaveLength(1);
  await cluster.client.delete(Service, { name: "web" });
  expect(await slices()).toEqual([]);
});

test.each([
  ["do not want it", { labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } }],
  [
    "are a record of an election",
    { annotations: { "control-plane.alpha.kubernetes.io/leader": "" } },
  ],
])("Endpoints are not mirrored that %s", async (_name, metadata) => {
  await addService();
  await addEndpoints(["10.9.0.1"], metadata);
  expect(await slices()).toEqual([]);
});

test("changes of slices by other clients are reverted", async () => {
  await addService();
  await addEndpoints(["10.9.0.1"]);
  const [slice] = await slices();
  const key = { name: slice?.metadata.name ?? "" };
  await cluster.client.patch(EndpointSlice, key, { merge: { endpoints: [] } });
  await cluster.advance("1s");
  expect(await slices()).toMatchObject([{ endpoints: [{ addresses: ["10.9.0.1"] }] }]);
  await cluster.client.delete(EndpointSlice, key);
  await cluster.advance("1s");
  expect(await slices()).toHaveLength(1);
});

test("too many addresses record an event", async () => {
  await cluster.end();
  await start({ "mirroring-max-endpoints-per-subset": 2 });
  await addService();
  await addEndpoints(["10.9.0.1", "10.9.0.2", "10.9.0.3"]);
  expect((await slices())[0]?.endpoints).toHaveLength(2);
  await cluster.advance("1s");
  const { items } = await cluster.client.list(Event, { namespace: "default" });
  expect(items.map(({ reason, message }) => `${reason} ${message}`)).toEqual([
    "TooManyAddressesToMirror A max of 2 addresses can be mirrored to EndpointSlices per Endpoints subset. 1 addresses were skipped",
  ]);
});
