import { expect, onTestFinished, test } from "vitest";
import { ResourceSlice } from "../../api/resource/v1/resource-slice.ts";
import { ResourcePoolStatusRequest } from "../../api/resource/v1alpha3/resource-pool-status-request.ts";
import { startCluster } from "../../testing/start-cluster.ts";
import { accountedCluster } from "../accounted-cluster.test-support.ts";
import { partsOf } from "../running.test-support.ts";
import { resourcePoolStatusModule } from "./resource-pool-status-module.ts";

test("requests are answered once their pools are complete, and deleted an hour later", async () => {
  const runtimeConfig = { "resource.k8s.io/v1alpha3": true };
  const cluster = await startCluster({ clock: "virtual", namespace: "default", runtimeConfig });
  const runnables = partsOf(resourcePoolStatusModule);
  const { client, settled, advance, end } = await accountedCluster({ runnables }, cluster);
  onTestFinished(end);
  const addSlice = (name: string) =>
    client.create(ResourceSlice, {
      metadata: { name },
      spec: {
        driver: "gpu.example.com",
        pool: { name: "p", generation: 1, resourceSliceCount: 2 },
        allNodes: true,
        devices: [{ name: `${name}-a` }, { name: `${name}-b` }],
      },
    });
  const ask = (name: string, driver: string) =>
    client.create(ResourcePoolStatusRequest, { metadata: { name }, spec: { driver } });
  const answers = async () => {
    await settled();
    const { items } = await client.list(ResourcePoolStatusRequest);
    return items.map(({ metadata, status }) => [
      metadata.name,
      status?.pools?.map(({ totalDevices }) => totalDevices) ?? status?.poolCount,
    ]);
  };
  await addSlice("one");
  await ask("of-nothing", "other.example.com");
  await ask("of-pool", "gpu.example.com");
  expect(await answers()).toEqual([
    ["of-nothing", 0],
    ["of-pool", undefined],
  ]);
  await addSlice("two");
  await advance("1s");
  expect(await answers()).toEqual([
    ["of-nothing", 0],
    ["of-pool", [4]],
  ]);
  await client.delete(ResourceSlice, { name: "one" });
  await settled();
  await ask("of-missing", "gpu.example.com");
  await advance("59m");
  expect((await answers()).map(([name]) => name)).toEqual(["of-missing", "of-nothing", "of-pool"]);
  await advance("11m");
  expect((await answers()).map(([name]) => name)).toEqual(["of-missing"]);
});

test("a request whose pool stays incomplete is given up, and deleted after a day", async () => {
  const runtimeConfig = { "resource.k8s.io/v1alpha3": true };
  const cluster = await startCluster({ clock: "virtual", namespace: "default", runtimeConfig });
  const runnables = partsOf(resourcePoolStatusModule);
  const { client, advance, writes, end } = await accountedCluster({ runnables }, cluster);
  onTestFinished(end);
  await client.create(ResourceSlice, {
    metadata: { name: "s" },
    spec: {
      driver: "d.example.com",
      pool: { name: "p", generation: 1, resourceSliceCount: 2 },
      allNodes: true,
      devices: [{ name: "a" }],
    },
  });
  await client.create(ResourcePoolStatusRequest, {
    metadata: { name: "r" },
    spec: { driver: "d.example.com" },
  });
  await advance("23h");
  expect(writes).toEqual([]);
  await advance("70m");
  expect((await client.list(ResourcePoolStatusRequest)).items).toEqual([]);
});
