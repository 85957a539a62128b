import { expect, test } from "vitest";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { noMetrics } from "../../base/metrics.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { encodeDeviceCheckpoint } from "./device-checkpoint.ts";
import { DeviceManager } from "./device-manager.ts";
import { createDeviceMetrics } from "./device-metrics.ts";
import type { DevicePlugin } from "./device-plugin.ts";
import { DeviceRegistry } from "./device-registry.ts";
import { devicesOf, notingPlugin, podOf } from "./devices.test-support.ts";

const resource = "example.com/dev";
const anywhere = { affinity: undefined, isPreferred: true };

async function managed(
  devices: string,
  { plugin = {}, running = "" }: { plugin?: Partial<DevicePlugin>; running?: string } = {},
) {
  const calls: string[] = [];
  const clock = new VirtualClock();
  const registry = new DeviceRegistry(clock);
  const ended = new Set<string>();
  const changed: string[] = [];
  let saved = "";
  const manager = new DeviceManager({
    ...{ registry, numaNodes: [0, 1], metrics: createDeviceMetrics(noMetrics, clock) },
    save: async (checkpoint) => {
      saved = encodeDeviceCheckpoint(checkpoint);
    },
    isActive: (uid) => !ended.has(uid),
    wasRunning: (uid, container) => `${uid}/${container}` === running,
    affinityOf: () => anywhere,
    changed: (uid) => changed.push(uid),
  });
  const own = notingPlugin(calls, plugin);
  if (devices !== "") {
    registry.connect(resource, own);
    await manager.list(resource, own, devicesOf(devices));
  }
  const allocate = async (pod: Pod): Promise<void> => {
    for (const one of [...(pod.spec.initContainers ?? []), ...(pod.spec.containers ?? [])])
      await manager.allocate(pod, one, anywhere);
  };
  const held = (uid: string, container: string): string =>
    [...(manager.allocated.idsOf(uid, container, resource) ?? [])].join(" ");
  const additions = (pod: Pod) => manager.additions(pod, pod.spec.containers?.[0] as never);
  const list = (text: string) => manager.list(resource, own, devicesOf(text));
  return {
    ...{ manager, registry, plugin: own, calls, allocate, held, ended, changed, additions, list },
    saved: () => saved,
  };
}

test("DeviceManager: containers get devices that no other has", async () => {
  const { allocate, held, calls, manager } = await managed("a b c");
  await allocate(podOf("p1", { c: 1, d: 1 }));
  await allocate(podOf("p2", { c: 1 }));
  expect(
    ["p1/c", "p1/d", "p2/c"].map((one) => held(...(one.split("/") as [string, string]))),
  ).toEqual(["a", "b", "c"]);
  expect(calls).toEqual(["allocate a", "allocate b", "allocate c"]);
  await allocate(podOf("p1", { c: 1, d: 1 }));
  expect(calls).toHaveLength(3);
  expect(manager.amountsInUse()).toEqual(new Map([[resource, 3]]));
});

test("DeviceManager: containers use again what init containers had, but not what sidecars have", async () => {
  const { allocate, held } = await managed("a b c d");
  await allocate(podOf("p", { i: 2, s: 1, c: 2 }));
  expect([held("p", "i"), held("p", "s"), held("p", "c")]).toEqual(["a b", "a", "b c"]);
});

test("DeviceManager: what ended pods had is free", async () => {
  const { allocate, held, ended, manager } = await managed("a b");
  await allocate(podOf("p1", { c: 1 }));
  await allocate(podOf("p2", { c: 1 }));
  ended.add("p1");
  await allocate(podOf("p3", { c: 1 }));
  expect(held("p3", "c")).toBe("a");
  await manager.release("p2");
  await allocate(podOf("p4", { c: 1 }));
  expect(held("p4", "c")).toBe("b");
});

test("DeviceManager: says why there are no devices", async () => {
  const { allocate, list, registry, plugin } = await managed("a !b");
  await expect(allocate(podOf("p", { c: 2 }))).rejects.toThrow(
    "requested number of devices unavailable for example.com/dev. Requested: 2, Available: 1",
  );
  await allocate(podOf("q", { c: 1 }));
  await expect(allocate(podOf("q", { c: 2 }))).rejects.toThrow(
    'pod "q" container "c" changed request for resource "example.com/dev" from 1 to 2',
  );
  await list("!a b");
  await expect(allocate(podOf("q", { c: 1 }))).rejects.toThrow(
    "previously allocated devices are no longer healthy; cannot allocate unhealthy devices example.com/dev",
  );
  registry.disconnect(resource, plugin);
  await expect(allocate(podOf("r", { c: 1 }))).rejects.toThrow(
    "no healthy devices present; cannot allocate unhealthy devices example.com/dev",
  );
});

test("DeviceManager: a plugin that refuses leaves devices free", async () => {
  let isBroken = true;
  const { allocate, held, calls } = await managed("a", {
    plugin: {
      async allocate(ids) {
        if (isBroken) throw new Error("rpc error: code = Unknown desc = broken");
        return notingPlugin(calls).allocate(ids);
      },
    },
  });
  await expect(allocate(podOf("p", { c: 1 }))).rejects.toThrow(/broken$/);
  isBroken = false;
  await allocate(podOf("q", { c: 1 }));
  expect(held("q", "c")).toBe("a");
});

test("DeviceManager: a later kubelet continues, and its containers keep their devices", async () => {
  const before = await managed("a@1 b@1");
  const pod = podOf("p", { c: 1 });
  await before.allocate(pod);
  const after = await managed("", { running: "p/c" });
  after.manager.restore(before.saved());
  expect(after.registry.amounts().capacity).toEqual({ [resource]: "0" });
  await after.allocate(pod);
  expect(after.held("p", "c")).toBe("a");
  await expect(after.allocate(podOf("q", { c: 1 }))).rejects.toThrow(/^no healthy devices present/);
  expect((await after.additions(pod))?.env).toEqual([{ name: "DEVICES", value: "a" }]);
});

test("DeviceManager: a container that was not admitted with its devices gets them when it starts", async () => {
  const { additions, calls, allocate } = await managed("a", { running: "p/c" });
  await allocate(podOf("p", { c: 1 }));
  expect(calls).toEqual([]);
  expect((await additions(podOf("p", { c: 1 })))?.env).toEqual([{ name: "DEVICES", value: "a" }]);
});

test("DeviceManager: the plugin is called before a container starts, if it wants that", async () => {
  const { additions, allocate, calls } = await managed("a", { plugin: { needsPreStart: true } });
  const pod = podOf("p", { c: 1 });
  await expect(additions(pod)).rejects.toThrow(
    "no devices found allocated in local cache for pod p, container c, resource example.com/dev",
  );
  await allocate(pod);
  await additions(pod);
  expect(calls).toEqual(["allocate a", "prestart a"]);
});

test("DeviceManager: pods learn of the health of their devices", async () => {
  const { allocate, list, changed } = await managed("a b");
  await allocate(podOf("p", { c: 1 }));
  await list("a !b");
  expect(changed).toEqual([]);
  await list("!a b");
  expect(changed).toEqual(["p"]);
});

test("DeviceManager: hints repeat what is allocated, and say where nothing is left", async () => {
  const { manager, allocate } = await managed("a@0 b@1");
  const pod = podOf("p", { c: 1 });
  const hintsOf = (one: Pod) => manager.hints(one, one.spec.containers?.[0] as never).get(resource);
  expect(hintsOf(pod)).toHaveLength(3);
  await allocate(pod);
  expect(hintsOf(pod)?.map(({ affinity }) => affinity)).toEqual([1n, 3n]);
  expect(hintsOf(podOf("q", { c: 2 }))).toEqual([]);
  expect(manager.podHints(podOf("q", { c: 1, d: 1 })).get(resource)).toEqual([]);
  const plain = await managed("a b");
  expect(plain.manager.podHints(pod).get(resource)).toBeUndefined();
});

test("DeviceManager: resources that claims provide are left to them", async () => {
  const { manager } = await managed("a");
  const pod = podOf("p", { c: 1 });
  expect(manager.concerns(pod)).toBe(true);
  const requestMappings = [{ containerName: "c", resourceName: resource, requestName: "r" }];
  const status = { extendedResourceClaimStatus: { requestMappings, resourceClaimName: "x" } };
  expect(manager.concerns({ ...pod, status } as unknown as Pod)).toBe(false);
});
