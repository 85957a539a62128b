import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { errorMessage } from "../../../base/error-message.ts";
import { GrpcError, grpcCodes } from "../../../platform/grpc/grpc-error.ts";
import type { PodSetUpError } from "../../pod/pod-host.ts";
import { openTestClaims, pluginOf, podUsing } from "./claims.test-support.ts";

const failureOf = (work: Promise<unknown>): Promise<string> =>
  work.then(() => "nothing failed", errorMessage);
const never = new Promise<void>(() => {});

each<["v1" | "v1beta1"]>([["v1"], ["v1beta1"]])(
  "openClaims: a driver of %s prepares claims, which containers get",
  async (version) => {
    const world = await openTestClaims();
    const hasHealth = version === "v1";
    const driver = await world.driver({ version, hasHealth, cdiDevices: ["v/c=a", "v/c=b"] });
    const plugin = pluginOf(driver, "v1alpha1.DRAResourceHealth", `${version}.DRAPlugin`);
    const { claims } = world;
    expect(claims.handler.problemOf(plugin)).toBeUndefined();
    await claims.handler.register(plugin);
    await world.claim("a");
    const pod = podUsing("p", "a");
    const [container] = pod.spec.containers ?? [];
    await claims.prepare(pod);
    expect(claims.cdiDevices(pod, container as never)).toEqual(["v/c=a", "v/c=b"]);
    expect(claims.of(pod, container as never).map(({ name }) => name)).toEqual(["a"]);
    expect(claims.of(podUsing("p", "b"), { name: "c" } as never)).toEqual([]);
    expect(claims.podUids()).toEqual(["p"]);
    await claims.unprepare("p");
    expect(driver.calls).toEqual(["prepare a", "unprepare a"]);
    expect(claims.podUids()).toEqual([]);
    const counts = world.metrics.text().match(/^dra_grpc.*_count.*$/gm);
    const line = (method: string) =>
      `dra_grpc_operations_duration_seconds_count{driver_name="dra.example.com",grpc_status_code="OK",method_name="/k8s.io.kubelet.pkg.apis.dra.${version}.DRAPlugin/${method}"} 1`;
    expect(counts).toEqual([line("NodePrepareResources"), line("NodeUnprepareResources")]);
  },
);

test("openClaims: the event of a failure says what the driver said", async () => {
  const world = await openTestClaims();
  const { claims } = world;
  const pod = podUsing("p", "a");
  const failure = () => claims.prepare(pod).then(undefined, (error: PodSetUpError) => error);
  const words = "Failed to prepare dynamic resources: prepare dynamic resources: ";
  expect(await failure()).toMatchObject({
    reason: "FailedPrepareDynamicResources",
    message: `${words}fetch ResourceClaim a: resourceclaims.resource.k8s.io "a" not found`,
  });
  await world.claim("a");
  expect((await failure())?.message).toBe(`${words}DRA driver dra.example.com is not registered`);
  const driver = await world.driver();
  await claims.handler.register(pluginOf(driver));
  // The pod that waits for its driver is retried at once.
  await expect.poll(() => world.changed).toContain("p");
  driver.failures.set("prepare", new GrpcError(grpcCodes.internal, "broken"));
  expect((await failure())?.message).toBe(
    `${words}NodePrepareResources: rpc error: code = Internal desc = broken`,
  );
  driver.failures.clear();
  driver.errors.set("prepare a", "no room");
  expect((await failure())?.message).toBe(
    `${words}NodePrepareResources failed for ResourceClaim a: no room`,
  );
  driver.errors.clear();
  expect(await failure()).toBeUndefined();
  expect(world.metrics.text()).toContain('grpc_status_code="Internal"');
});

test("openClaims: a kubelet that was killed while a driver prepared calls it again", async () => {
  const world = await openTestClaims();
  const driver = await world.driver();
  await world.claims.handler.register(pluginOf(driver));
  await world.claim("a");
  const pod = podUsing("p", "a");
  driver.holds.set("prepare", never);
  const interrupted = failureOf(world.claims.prepare(pod));
  await expect.poll(() => driver.calls).toEqual(["prepare a"]);
  const claims = await world.reopen();
  expect(await interrupted).toContain("NodePrepareResources: rpc error: code = ");
  expect(claims.podUids()).toEqual(["p"]);
  driver.holds.clear();
  await claims.handler.register(pluginOf(driver));
  await claims.prepare(pod);
  expect(driver.calls).toEqual(["prepare a", "prepare a"]);
});

test("openClaims: what was prepared before the kubelet was killed is known after it", async () => {
  const world = await openTestClaims();
  const driver = await world.driver({ cdiDevices: ["v/c=a"] });
  await world.claims.handler.register(pluginOf(driver));
  await world.claim("a");
  const pod = podUsing("p", "a");
  await world.claims.prepare(pod);
  const claims = await world.reopen();
  expect(claims.cdiDevices(pod, pod.spec.containers?.[0] as never)).toEqual(["v/c=a"]);
  await claims.handler.register(pluginOf(driver));
  driver.holds.set("unprepare", never);
  const interrupted = failureOf(claims.unprepare("p"));
  await expect.poll(() => driver.calls.at(-1)).toBe("unprepare a");
  const again = await world.reopen();
  expect(await interrupted).toContain("NodeUnprepareResources: rpc error: code = ");
  driver.holds.clear();
  await again.handler.register(pluginOf(driver));
  await again.unprepare("p");
  expect(driver.calls).toEqual(["prepare a", "unprepare a", "unprepare a"]);
  expect((await world.reopen()).podUids()).toEqual([]);
});

test("openClaims: claims of pods that do not run any more are unprepared", async () => {
  const world = await openTestClaims();
  const { claims, clock, active } = world;
  const driver = await world.driver();
  await claims.handler.register(pluginOf(driver));
  await world.claim("a", ["p"]);
  await world.claim("b", ["q"]);
  for (const [uid, name] of [["p", "a"] as const, ["q", "b"] as const]) {
    active.add(uid);
    await claims.prepare(podUsing(uid, name));
  }
  await clock.advance(60_000);
  expect(driver.calls).toEqual(["prepare a", "prepare b"]);
  active.delete("q");
  driver.errors.set("unprepare b", "busy");
  const unprepared = () => driver.calls.filter((call) => call === "unprepare b").length;
  const minuteLater = async <T>(read: () => T): Promise<T> => {
    await clock.advance(60_000);
    return read();
  };
  await expect.poll(() => minuteLater(unprepared)).toBeGreaterThan(0);
  expect(claims.podUids()).toEqual(["p", "q"]);
  driver.errors.clear();
  await expect.poll(() => minuteLater(claims.podUids)).toEqual(["p"]);
});

test("openClaims: a damaged checkpoint is an error", async () => {
  const world = await openTestClaims();
  const path = join(world.rootDir, "dra_manager_state");
  writeFileSync(path, '{"Data":"{}","Checksum":1}');
  expect(await failureOf(world.reopen())).toBe(
    `reading ${path} failed, drain the node and remove the file: checkpoint is corrupted`,
  );
});

test("openClaims: pods learn of the health of their devices", async () => {
  const world = await openTestClaims();
  const driver = await world.driver({ cdiDevices: ["v/c=a"] });
  const { claims } = world;
  await claims.handler.register(pluginOf(driver));
  await world.claim("a");
  const pod = podUsing("p", "a");
  await claims.prepare(pod);
  const health = () => claims.resourceStatuses(pod, "c")[0]?.resources?.[0];
  expect(health()).toEqual({ resourceID: "v/c=a", health: "Unknown" });
  const device = { pool_name: "pool", device_name: "device-a" };
  const message = "x".repeat(1025);
  await driver.tell([{ device, health: "UNHEALTHY", message, health_check_timeout_seconds: -1n }]);
  const unhealthy = { resourceID: "v/c=a", health: "Unhealthy" };
  const shortened = `${"x".repeat(1021)}...`;
  await expect.poll(health).toEqual({ ...unhealthy, message: shortened });
  expect(world.changed).toEqual(["p"]);
  const path = join(world.rootDir, "dra_health_state");
  await expect.poll(() => readFileSync(path, "utf8")).toContain(shortened);
  // Another kubelet knows it before the driver tells it again.
  const again = await world.reopen();
  expect(again.resourceStatuses(pod, "c")[0]?.resources).toEqual([
    { ...unhealthy, message: shortened },
  ]);
  await again.handler.register(pluginOf(driver));
  await again.handler.deregister(pluginOf(driver));
  expect(again.resourceStatuses(pod, "c")[0]?.resources?.[0]?.health).toBe("Unknown");
});
