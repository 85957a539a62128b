import { expect, onTestFinished, test } from "vitest";
import { CSIDriver } from "../../../../../api/storage/v1/csi-driver.ts";
import { noLog } from "../../../../../base/log.ts";
import { createInformers } from "../../../../../client/informer/informers.ts";
import { startCluster } from "../../../../../testing/start-cluster.ts";
import type { CsiDriverClient } from "../csi-driver-client.ts";
import { updateAllocatable } from "./allocatable-updates.ts";
import { createCsiDrivers } from "./csi-drivers.ts";
import type { NodeInfo } from "./node-info.ts";

test("updateAllocatable: the count is written as often as the driver's object says", async () => {
  const { client, clock, random, advance, settled, close } = await startCluster({
    clock: "virtual",
  });
  const informers = createInformers({ client, clock, random });
  onTestFinished(async () => {
    informers.close();
    await close();
  });
  const updates: string[] = [];
  const nodeInfo = {
    update: async (driver, { maxVolumes }) => void updates.push(`${driver} ${maxVolumes}`),
  } as Pick<NodeInfo, "update"> as NodeInfo;
  let count = 1n;
  const driver = {
    call: async () => ({ node_id: "n", max_volumes_per_node: count, accessible_topology: {} }),
  } as unknown as CsiDriverClient;
  const drivers = createCsiDrivers();
  const driverObjects = informers.of(CSIDriver);
  const end = updateAllocatable({ drivers, driverObjects, nodeInfo, clock, log: noLog });
  const key = { name: "d" };
  const spec = { nodeAllocatableUpdatePeriodSeconds: 10 };
  await client.create(CSIDriver, { metadata: key, spec } as never);
  await advance("30s");
  expect(updates).toEqual([]);
  drivers.set("d", driver);
  await advance("25s");
  expect(updates).toEqual(["d 1", "d 1"]);
  count = 5n;
  const period = { spec: { nodeAllocatableUpdatePeriodSeconds: 60 } };
  await client.patch(CSIDriver, key, { merge: period as never });
  await settled();
  await advance("50s");
  expect(updates).toHaveLength(2);
  await advance("20s");
  expect(updates).toEqual(["d 1", "d 1", "d 5"]);
  drivers.delete("d");
  await advance("200s");
  expect(updates).toHaveLength(3);
  end();
});
