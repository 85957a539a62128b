import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { ResourceSlice } from "../../../api/resource/v1/resource-slice.ts";
import { errorMessage } from "../../../base/error-message.ts";
import { noLog } from "../../../base/log.ts";
import type { Client } from "../../../client/client.ts";
import { realClock } from "../../../platform/real-clock.ts";
import { testFolder } from "../plugins/plugin.test-support.ts";
import { openPluginWatcher } from "../plugins/plugin-watcher.ts";
import { serveClaimDriver } from "./claim-driver.test-support.ts";
import { openTestClaims, pluginOf, podUsing } from "./claims.test-support.ts";

const kubelets = '(["v1.DRAPlugin" "v1beta1.DRAPlugin"])';

each<[readonly string[], string]>([
  [[], "empty list of supported gRPC services (aka supported versions)"],
  [
    ["v1alpha3.DRAPlugin", "1.0.0"],
    `none of services supported by the plugin (["v1alpha3.DRAPlugin" "1.0.0"]) are supported by the kubelet ${kubelets}`,
  ],
])("ClaimDrivers: a driver of the versions %j is refused", async (versions, why) => {
  const { claims } = await openTestClaims();
  const plugin = { name: "d", endpoint: "/d.sock", versions };
  const problem = `invalid supported gRPC versions of DRA driver plugin d at endpoint /d.sock: ${why}`;
  expect(claims.handler.problemOf(plugin)).toBe(problem);
  await expect(claims.handler.register(plugin)).rejects.toThrow(problem);
});

test("ClaimDrivers: while a driver is replaced, the new one is called", async () => {
  const world = await openTestClaims();
  const old = await world.driver();
  const replacement = await world.driver();
  await world.claims.handler.register(pluginOf(old));
  await expect(world.claims.handler.register(pluginOf(old))).rejects.toThrow(
    `endpoint ${old.socket} already registered for DRA driver plugin dra.example.com`,
  );
  await world.claims.handler.register(pluginOf(replacement));
  for (const name of ["a", "b", "c"]) await world.claim(name);
  await expect
    .poll(async () => {
      await world.claims.prepare(podUsing("p", "a"));
      return replacement.calls;
    })
    .toEqual(["prepare a"]);
  // The latest one that is connected is called.
  await replacement.close();
  await expect
    .poll(() =>
      world.claims.prepare(podUsing("p", "b")).then(
        () => old.calls,
        () => [],
      ),
    )
    .toEqual(["prepare b"]);
  await world.claims.handler.deregister(pluginOf(old));
  await world.claims.handler.deregister(pluginOf(replacement));
  await world.claims.handler.deregister(pluginOf(replacement));
  await expect(world.claims.prepare(podUsing("p", "c"))).rejects.toThrow(
    "DRA driver dra.example.com is not registered",
  );
});

test("ClaimDrivers: the plugin watcher registers a driver while its socket exists", async () => {
  const world = await openTestClaims();
  const driver = await world.driver();
  const folder = testFolder();
  const handlers = { DRAPlugin: world.claims.handler };
  const watcher = await openPluginWatcher({ folder, handlers, clock: realClock, log: noLog });
  const registration = await driver.register(folder);
  await expect.poll(() => driver.outcomes).toEqual([""]);
  await world.claim("a");
  await world.claims.prepare(podUsing("p", "a"));
  await registration.close();
  const failure = () => world.claims.prepare(podUsing("p", "a")).then(() => "", errorMessage);
  await expect.poll(failure).toContain("DRA driver dra.example.com is not registered");
  await expect(world.claims.unprepare("p")).rejects.toThrow("unprepare dynamic resources");
  await watcher.close();
});

/** Creates a slice of a node and a driver. */
const createSlice = (client: Client, nodeName: string, driver: string) =>
  client.create(ResourceSlice, {
    metadata: { name: `${nodeName}-${driver}` },
    spec: {
      nodeName,
      driver,
      pool: { name: "p", resourceSliceCount: 1, generation: 1 },
      devices: [{ name: "d" }],
    },
  } as never);

const slicesOf = async (client: Client) =>
  (await client.list(ResourceSlice)).items.map(({ metadata }) => metadata.name).sort();

test("SliceWipes: a kubelet that starts deletes the slices of its node", async () => {
  const { client, claims } = await openTestClaims();
  await createSlice(client, "node-1", "a.example.com");
  await createSlice(client, "node-1", "b.example.com");
  await createSlice(client, "node-2", "a.example.com");
  claims.start();
  await expect.poll(() => slicesOf(client)).toEqual(["node-2-a.example.com"]);
});

test("SliceWipes: the slices of a driver that is gone are deleted after half a minute", async () => {
  const world = await openTestClaims();
  const { client, claims, clock } = world;
  const driver = await world.driver({ name: "a.example.com" });
  await claims.handler.register(pluginOf(driver));
  await world.claim("a", ["p"], "a.example.com");
  const prepare = () => claims.prepare(podUsing("p", "a"));
  const all = ["node-1-a.example.com", "node-1-b.example.com", "node-2-a.example.com"];
  await createSlice(client, "node-1", "a.example.com");
  await createSlice(client, "node-1", "b.example.com");
  await createSlice(client, "node-2", "a.example.com");
  await claims.handler.deregister(pluginOf(driver));
  await expect(prepare()).rejects.toThrow("DRA driver a.example.com is not registered");
  await clock.advance(29_000);
  await claims.handler.register(pluginOf(driver));
  // Pods that wait for a driver are woken when it is connected.
  await expect.poll(() => world.changed).toEqual(["p"]);
  await prepare();
  await clock.advance(40_000);
  expect(await slicesOf(client)).toEqual(all);
  // Its process ends, but what it registered with is left.
  await driver.close();
  rmSync(driver.socket, { force: true });
  await expect
    .poll(async () => {
      await clock.advance(5000);
      return slicesOf(client);
    })
    .toEqual(["node-1-b.example.com", "node-2-a.example.com"]);
  // It starts again at the same socket.
  await createSlice(client, "node-1", "a.example.com");
  const later = await serveClaimDriver({ name: driver.name, folder: dirname(driver.socket) });
  await world.claim("b", ["p"], driver.name);
  await expect
    .poll(async () => {
      await clock.advance(5000);
      return claims.prepare(podUsing("p", "b")).then(
        () => later.calls,
        () => [],
      );
    })
    .toEqual(["prepare b"]);
  await clock.advance(60_000);
  expect(await slicesOf(client)).toEqual(all);
});
