import { expect, onTestFinished, test } from "vitest";
import { Node } from "../../api/core/v1/node/node.ts";
import { servesDnsAnnotation } from "../../api/core/v1/node/node-annotations.ts";
import { Service } from "../../api/core/v1/service/service.ts";
import { EndpointSlice } from "../../api/discovery/v1/endpoint-slice.ts";
import type { Client } from "../../client/client.ts";
import { partsOf, runningCluster } from "../running.test-support.ts";
import { clusterDnsModule } from "./cluster-dns-module.ts";

const namespace = "kube-system";

async function start() {
  const cluster = await runningCluster(...partsOf(clusterDnsModule));
  onTestFinished(() => cluster.end());
  await cluster.client.create(Service, {
    metadata: { namespace, name: "kube-dns" },
    spec: { ports: [{ name: "dns", port: 53, protocol: "UDP", targetPort: 53 }] },
  });
  return cluster;
}

async function addNode(client: Client, name: string, address: string, serves = true) {
  const annotations = serves ? { [servesDnsAnnotation]: "true" } : {};
  await client.create(Node, { metadata: { name, annotations } });
  await patch(client, name, { addresses: [{ type: "InternalIP", address }] });
  await setReady(client, name, "True");
}

const setReady = (client: Client, name: string, status: string) =>
  patch(client, name, { conditions: [{ type: "Ready", status }] });

const patch = (client: Client, name: string, status: object) =>
  client.patch(Node, { name }, { merge: { status } }, { subresource: "status" });

async function endpoints(client: Client): Promise<readonly string[]> {
  const { items } = await client.list(EndpointSlice, { namespace });
  return items.flatMap(({ endpoints: list }) =>
    (list ?? []).map(
      ({ addresses, conditions, nodeName }) => `${nodeName} ${addresses} ${conditions?.ready}`,
    ),
  );
}

test("cluster-dns: the endpoints are the nodes that serve DNS, ready while they are", async () => {
  const { client, settled } = await start();
  await addNode(client, "b", "10.9.0.2");
  await addNode(client, "a", "10.9.0.1");
  await addNode(client, "other", "10.9.0.3", false);
  await settled();
  expect(await endpoints(client)).toEqual(["a 10.9.0.1 true", "b 10.9.0.2 true"]);
  await setReady(client, "b", "Unknown");
  await settled();
  expect(await endpoints(client)).toEqual(["a 10.9.0.1 true", "b 10.9.0.2 false"]);
  await client.delete(Node, { name: "a" });
  await settled();
  expect(await endpoints(client)).toEqual(["b 10.9.0.2 false"]);
  const { items } = await client.list(EndpointSlice, { namespace });
  expect(items).toMatchObject([
    {
      metadata: {
        name: "kube-dns-nodes-ipv4",
        labels: { "kubernetes.io/service-name": "kube-dns" },
        ownerReferences: [{ kind: "Service", name: "kube-dns" }],
      },
      addressType: "IPv4",
      ports: [{ name: "dns", protocol: "UDP", port: 53 }],
    },
  ]);
});

test("cluster-dns: a slice that others change or delete is restored", async () => {
  const { client, settled } = await start();
  await addNode(client, "a", "10.9.0.1");
  await settled();
  const key = { namespace, name: "kube-dns-nodes-ipv4" };
  await client.patch(EndpointSlice, key, { merge: { endpoints: [{ addresses: ["10.9.9.9"] }] } });
  await settled();
  expect(await endpoints(client)).toEqual(["a 10.9.0.1 true"]);
  await client.delete(EndpointSlice, key);
  await settled();
  expect(await endpoints(client)).toEqual(["a 10.9.0.1 true"]);
});

test("cluster-dns: a service that selects pods is left to others", async () => {
  const { client, settled } = await start();
  await addNode(client, "a", "10.9.0.1");
  await settled();
  const merge = { spec: { selector: { "k8s-app": "kube-dns" } } };
  await client.patch(Service, { namespace, name: "kube-dns" }, { merge });
  await settled();
  expect(await endpoints(client)).toEqual([]);
});
