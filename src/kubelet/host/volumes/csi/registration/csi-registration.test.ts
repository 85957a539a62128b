import { expect, onTestFinished, test } from "vitest";
import { each } from "../../../../../../test/each.ts";
import { Node } from "../../../../../api/core/v1/node/node.ts";
import { CSINode } from "../../../../../api/storage/v1/csi-node.ts";
import { noLog } from "../../../../../base/log.ts";
import { MetricsRegistry } from "../../../../../base/metrics-registry.ts";
import { GrpcError, grpcCodes } from "../../../../../platform/grpc/grpc-error.ts";
import { realClock } from "../../../../../platform/real-clock.ts";
import { startCluster } from "../../../../../testing/start-cluster.ts";
import { testFolder } from "../../../plugins/plugin.test-support.ts";
import { openPluginWatcher } from "../../../plugins/plugin-watcher.ts";
import { serveDriver } from "../csi-driver.test-support.ts";
import { createCsiMetrics } from "../csi-metrics.ts";
import { createCsiDrivers } from "./csi-drivers.ts";
import { csiRegistration } from "./csi-registration.ts";
import { createNodeInfo } from "./node-info.ts";

const key = { name: "node-1" };
const nodeIds = "csi.volume.kubernetes.io/nodeid";

async function openRegistration() {
  const { client, close } = await startCluster({ namespace: "default" });
  onTestFinished(close);
  await client.create(Node, { metadata: { ...key, labels: { zone: "a" } } } as never);
  const drivers = createCsiDrivers();
  const registry = new MetricsRegistry();
  const nodeInfo = createNodeInfo({ nodeName: "node-1", client, clock: realClock });
  const metrics = createCsiMetrics(registry);
  const handler = csiRegistration({ drivers, nodeInfo, clock: realClock, metrics, log: noLog });
  const folder = testFolder();
  const watcher = await openPluginWatcher({
    ...{ folder, handlers: { CSIPlugin: handler }, clock: realClock, log: noLog },
  });
  onTestFinished(() => watcher.close());
  return { client, drivers, folder, nodeInfo, handler, registry };
}

test("csiRegistration: node and CSINode say what drivers say, while they are registered", async () => {
  const { client, drivers, folder, nodeInfo, registry } = await openRegistration();
  await nodeInfo.initialize();
  const { metadata, spec } = await client.get(CSINode, key);
  expect(spec.drivers ?? []).toEqual([]);
  expect(metadata.annotations).toEqual({
    "storage.alpha.kubernetes.io/migrated-plugins":
      "kubernetes.io/aws-ebs,kubernetes.io/azure-disk,kubernetes.io/azure-file,kubernetes.io/cinder,kubernetes.io/gce-pd,kubernetes.io/portworx-volume,kubernetes.io/vsphere-volume",
  });
  const { uid } = (await client.get(Node, key)).metadata;
  expect(metadata.ownerReferences).toEqual([{ apiVersion: "v1", kind: "Node", ...key, uid }]);

  const b = await serveDriver({ name: "b.example.com", folder: testFolder() });
  b.info = { node_id: "b-1", max_volumes_per_node: 7n, topology: { "b/rack": "r1", zone: "a" } };
  const registered = await b.register(folder);
  await expect.poll(() => b.outcomes).toEqual([""]);
  const a = await serveDriver({ name: "a.example.com", folder: testFolder() });
  await a.register(folder);
  await expect.poll(() => a.outcomes).toEqual([""]);
  const node = await client.get(Node, key);
  expect(node.metadata.annotations?.[nodeIds]).toBe(
    '{"a.example.com":"id-1","b.example.com":"b-1"}',
  );
  expect(node.metadata.labels).toEqual({ zone: "a", "b/rack": "r1" });
  expect((await client.get(CSINode, key)).spec.drivers).toEqual([
    {
      ...{ name: "b.example.com", nodeID: "b-1", topologyKeys: ["b/rack", "zone"] },
      allocatable: { count: 7 },
    },
    { name: "a.example.com", nodeID: "id-1", topologyKeys: null },
  ]);
  expect(registry.text()).toContain(
    'csi_operations_seconds_count{driver_name="b.example.com",grpc_status_code="OK",method_name="/csi.v1.Node/NodeGetInfo",migrated="false"} 1',
  );

  await registered.close();
  await expect.poll(() => drivers.names()).toEqual(["a.example.com"]);
  expect(() => drivers.client("b.example.com")).toThrow(
    "driver name b.example.com not found in the list of registered CSI drivers",
  );
  const idsNow = async () => (await client.get(Node, key)).metadata.annotations?.[nodeIds];
  await expect.poll(idsNow).toBe('{"a.example.com":"id-1"}');
  const left = (await client.get(CSINode, key)).spec.drivers?.map(({ name }) => name);
  expect(left).toEqual(["a.example.com"]);
});

test("csiRegistration: a driver learns why it cannot be registered, and leaves nothing", async () => {
  const { client, drivers, folder } = await openRegistration();
  const collides = await serveDriver({ name: "collides", folder: testFolder() });
  collides.info = { node_id: "x", topology: { zone: "b" } };
  const nameless = await serveDriver({ name: "nameless", folder: testFolder() });
  nameless.info = { node_id: "" };
  const broken = await serveDriver({ name: "broken", folder: testFolder() });
  broken.failures.set("GetInfo", new GrpcError(grpcCodes.internal, "out of order"));
  const old = await serveDriver({ name: "old", folder: testFolder(), versions: ["0.3.0"] });
  for (const driver of [collides, nameless, broken, old]) await driver.register(folder);
  const failed = "RegisterPlugin error -- plugin registration failed with err: ";
  await expect
    .poll(() => collides.outcomes[0])
    .toBe(
      `${failed}error updating Node object with CSI driver node info: error updating node: timed out waiting for the condition; caused by: detected topology value collision: driver reported "zone":"b" but existing label is "zone":"a"`,
    );
  await expect
    .poll(() => nameless.outcomes[0])
    .toBe(`${failed}error adding CSI driver node info: driverNodeID must not be empty`);
  await expect
    .poll(() => broken.outcomes[0])
    .toBe(`${failed}rpc error: code = Internal desc = out of order`);
  await expect
    .poll(() => old.outcomes[0])
    .toBe(
      `RegisterPlugin error -- plugin validation failed with err: validation failed for CSI Driver old at endpoint ${old.socket}: kubernetes.io/csi: ValidatePlugin for CSI driver "old" failed. None of the versions specified ["0.3.0"] are supported. err=highest supported version reported is 0.3.0, must be v1.x`,
    );
  expect(drivers.names()).toEqual([]);
  expect((await client.get(Node, key)).metadata.annotations?.[nodeIds]).toBeUndefined();
});

each<[versions: readonly string[], problem: string | undefined]>([
  [["1.5.0"], undefined],
  [
    [],
    'ValidatePlugin for CSI driver "one" failed. Plugin returned an empty list for supported versions',
  ],
  [
    ["1.4.0"],
    'ValidatePlugin for CSI driver "one" failed. Another driver with the same name is already registered with a higher supported version: "1.4.0"',
  ],
])("csiRegistration: a second driver of a name with versions %j", async (versions, problem) => {
  const { folder, handler, drivers } = await openRegistration();
  const first = await serveDriver({ name: "one", folder: testFolder(), versions: ["1.4.0"] });
  await first.register(folder);
  await expect.poll(() => drivers.names()).toEqual(["one"]);
  const found = handler.problemOf({ name: "one", endpoint: "/e", versions });
  if (problem === undefined) expect(found).toBeUndefined();
  else
    expect(found).toBe(
      `validation failed for CSI Driver one at endpoint /e: kubernetes.io/csi: ${problem}`,
    );
});

test("createNodeInfo: the CSINode of an earlier node of the same name is replaced", async () => {
  const { client, nodeInfo } = await openRegistration();
  await nodeInfo.initialize();
  await client.delete(Node, key);
  await client.create(Node, { metadata: key } as never);
  await nodeInfo.initialize();
  const { uid } = (await client.get(Node, key)).metadata;
  const { ownerReferences } = (await client.get(CSINode, key)).metadata;
  expect(ownerReferences?.map((owner) => owner.uid)).toEqual([uid]);
});
