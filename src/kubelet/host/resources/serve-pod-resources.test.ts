import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { MetricsRegistry } from "../../../base/metrics-registry.ts";
import { VirtualClock } from "../../../base/virtual-clock.ts";
import type { NodeClaim } from "../../claims/node-claim.ts";
import { podOf } from "../../devices/devices.test-support.ts";
import type { ListedDevice } from "../../devices/listed-devices.ts";
import { testFolder } from "../plugins/plugin.test-support.ts";
import { pluginClient } from "../plugins/plugin-client.ts";
import { createPodResourcesMetrics } from "./pod-resources-metrics.ts";
import { podResourcesMethods } from "./pod-resources-service.ts";
import { servePodResources } from "./serve-pod-resources.ts";

const resource = "example.com/dev";
const device = (id: string, numaNode?: number): ListedDevice => ({ resource, id, numaNode });

const claim: NodeClaim = {
  ...{ uid: "u", name: "mine", namespace: "default", podUids: new Set(["p"]), isPrepared: true },
  drivers: new Map([
    [
      "dra.example.com",
      [
        { pool: "p1", device: "d1", requests: [], cdiDevices: ["v/c=a", "v/c=b"], shareId: "s" },
        { pool: "p1", device: "d2", requests: [], cdiDevices: [] },
      ],
    ],
  ]),
};
const driver_name = "dra.example.com";

async function served() {
  const folder = testFolder();
  const pods = [podOf("p", { i: 1, s: 1, c: 2 })];
  const clock = new VirtualClock();
  const metrics = new MetricsRegistry();
  const server = await servePodResources({
    ...{ folder, clock, pods: () => pods, metrics: createPodResourcesMetrics(metrics) },
    pod: (namespace, name) =>
      pods.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace),
    devicesOf: (podUid, container) => [
      device(`${podUid}-${container}`, container === "c" ? 1 : undefined),
    ],
    devices: () => [device("a", 0), device("b")],
    claimsOf: (_, { name }) => (name === "c" ? [claim] : []),
    cpusOf: (_, container) => (container === "c" ? [5, 2] : []),
    cpus: [1, 2, 5],
    memoryOf: (_, container) =>
      container === "c" ? [{ nodes: [0, 1], type: "memory", bytes: 2 ** 40 }] : [],
    memory: [{ nodes: [0], type: "hugepages-2Mi", bytes: 2 ** 21 }],
  });
  const client = pluginClient(join(folder, "kubelet.sock"));
  onTestFinished(async () => {
    client.close();
    await server.close();
  });
  return { client, clock, metrics };
}

const listed = {
  ...{ name: "p", namespace: "default" },
  containers: [
    {
      ...{ name: "s", cpu_ids: [], memory: [], dynamic_resources: [] },
      devices: [{ resource_name: resource, device_ids: ["p-s"], topology: undefined }],
    },
    {
      ...{ name: "c", cpu_ids: [2, 5] },
      memory: [
        { memory_type: "memory", size: 2n ** 40n, topology: { nodes: [{ ID: 0 }, { ID: 1 }] } },
      ],
      devices: [{ resource_name: resource, device_ids: ["p-c"], topology: { nodes: [{ ID: 1 }] } }],
      dynamic_resources: [
        {
          ...{ claim_name: "mine", claim_namespace: "default" },
          claim_resources: [
            {
              ...{ driver_name, pool_name: "p1", device_name: "d1", share_id: "s" },
              cdi_devices: [{ name: "v/c=a" }, { name: "v/c=b" }],
            },
            {
              ...{ driver_name, pool_name: "p1", device_name: "d2", share_id: undefined },
              cdi_devices: [],
            },
          ],
        },
      ],
    },
  ],
};

test("servePodResources: lists what containers have, but not init containers that end", async () => {
  const { client, metrics } = await served();
  expect(await client.call(podResourcesMethods.list, {})).toEqual({ pod_resources: [listed] });
  const request = { pod_name: "p", pod_namespace: "default" };
  expect(await client.call(podResourcesMethods.get, request)).toEqual({ pod_resources: listed });
  await expect(
    client.call(podResourcesMethods.get, { pod_name: "q", pod_namespace: "x" }),
  ).rejects.toThrow("rpc error: code = Unknown desc = pod q in namespace x not found");
  expect(await client.call(podResourcesMethods.getAllocatable, {})).toEqual({
    cpu_ids: [1, 2, 5],
    memory: [{ memory_type: "hugepages-2Mi", size: 2n ** 21n, topology: { nodes: [{ ID: 0 }] } }],
    devices: [
      { resource_name: resource, device_ids: ["a"], topology: { nodes: [{ ID: 0 }] } },
      { resource_name: resource, device_ids: ["b"], topology: undefined },
    ],
  });
  expect(metrics.text().match(/^kubelet_.* \d+$/gm)).toEqual([
    'kubelet_pod_resources_endpoint_errors_get{server_api_version="v1"} 1',
    'kubelet_pod_resources_endpoint_requests_get{server_api_version="v1"} 2',
    'kubelet_pod_resources_endpoint_requests_get_allocatable{server_api_version="v1"} 1',
    'kubelet_pod_resources_endpoint_requests_list{server_api_version="v1"} 1',
    'kubelet_pod_resources_endpoint_requests_total{server_api_version="v1"} 4',
  ]);
});

test("servePodResources: too many requests are refused", async () => {
  const { client, clock } = await served();
  const list = () => client.call(podResourcesMethods.list, {});
  for (let count = 0; count < 10; count++) await list();
  await expect(list()).rejects.toThrow(
    "rpc error: code = ResourceExhausted desc = rejected by rate limit",
  );
  await clock.advance(10);
  await list();
});
