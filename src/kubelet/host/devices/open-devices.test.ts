import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { errorMessage } from "../../../base/error-message.ts";
import { noLog } from "../../../base/log.ts";
import { MetricsRegistry } from "../../../base/metrics-registry.ts";
import { realClock } from "../../../platform/real-clock.ts";
import { podOf } from "../../devices/devices.test-support.ts";
import { registrationHandlers, serveSocket, testFolder } from "../plugins/plugin.test-support.ts";
import { openPluginWatcher } from "../plugins/plugin-watcher.ts";
import { serveDevicePlugin } from "./device-plugin.test-support.ts";
import { type Devices, openDevices } from "./open-devices.ts";

const resource = "example.com/dev";
const anywhere = { affinity: undefined, isPreferred: true };

async function opened(folder: string, metrics = new MetricsRegistry()): Promise<Devices> {
  const devices = await openDevices({
    ...{ folder, clock: realClock, log: noLog, metrics, numaNodes: [0] },
    isActive: () => true,
    wasRunning: () => false,
    affinityOf: () => anywhere,
    changed: () => {},
  });
  onTestFinished(() => devices.close());
  await devices.serve();
  return devices;
}

const amountsOf = ({ registry }: Devices): string => {
  const { capacity, allocatable } = registry.amounts();
  return `${capacity[resource]}/${allocatable[resource]}`;
};

const firstOf = ({ spec }: Pod) => spec.containers?.[0] as never;

test("openDevices: a plugin registers, lists its devices, and is asked for them", async () => {
  const folder = testFolder();
  const metrics = new MetricsRegistry();
  const devices = await opened(folder, metrics);
  const plugin = await serveDevicePlugin({
    ...{ folder, resource, devices: "a b !c" },
    options: { pre_start_required: true, get_preferred_allocation_available: true },
    respond: (ids) => ({
      envs: { DEVICES: ids.join(",") },
      mounts: [{ container_path: "/m", host_path: "/tmp", read_only: true }],
      devices: [{ container_path: "/dev/x", host_path: "/dev/null", permissions: "rw" }],
      annotations: { "example.com/a": "b" },
      cdi_devices: [{ name: "example.com/dev=a" }],
    }),
  });
  await plugin.register();
  await expect.poll(() => amountsOf(devices)).toBe("3/2");
  const pod = podOf("p", { c: 1 });
  await devices.manager.allocate(pod, firstOf(pod), anywhere);
  expect(await devices.manager.additions(pod, firstOf(pod))).toEqual({
    env: [{ name: "DEVICES", value: "b" }],
    mounts: [{ containerPath: "/m", hostPath: "/tmp", readonly: true }],
    devices: [{ containerPath: "/dev/x", hostPath: "/dev/null", permissions: "rw" }],
    annotations: { "example.com/a": "b" },
    cdiDevices: ["example.com/dev=a"],
  });
  expect(plugin.calls).toEqual(["prefer 1 of a b", "allocate b", "prestart b"]);
  await plugin.list("a b c");
  await expect.poll(() => amountsOf(devices)).toBe("3/3");
  await plugin.close();
  await expect.poll(() => amountsOf(devices)).toBe("3/0");
  expect(metrics.text()).toContain(
    'kubelet_device_plugin_registration_total{resource_name="example.com/dev"} 1',
  );
});

test("openDevices: another kubelet continues with the devices that containers have", async () => {
  const folder = testFolder();
  const first = await opened(folder);
  expect(first.isNew).toBe(true);
  const plugin = await serveDevicePlugin({ folder, resource, devices: "a b" });
  await plugin.register();
  await expect.poll(() => amountsOf(first)).toBe("2/2");
  const [one, two] = [podOf("p1", { c: 1 }), podOf("p2", { c: 1 })];
  await first.manager.allocate(one, firstOf(one), anywhere);
  await first.close();
  expect(existsSync(join(folder, "kubelet.sock"))).toBe(false);
  const second = await opened(folder);
  expect([second.isNew, amountsOf(second)]).toEqual([false, "0/0"]);
  const again = await serveDevicePlugin({ folder, resource, devices: "a b" });
  await again.register();
  await expect.poll(() => amountsOf(second)).toBe("2/2");
  await second.manager.allocate(two, firstOf(two), anywhere);
  expect([...second.manager.allocated.podIdsOf("p1", resource)]).toEqual(["a"]);
  expect([...second.manager.allocated.podIdsOf("p2", resource)]).toEqual(["b"]);
});

test("openDevices: a damaged checkpoint is left behind", async () => {
  const folder = testFolder();
  const path = join(folder, "kubelet_internal_checkpoint");
  writeFileSync(path, '{"Data":{"PodDeviceEntries":null,"RegisteredDevices":{}},"Checksum":1}');
  const devices = await opened(folder);
  expect([devices.isNew, devices.registry.names()]).toEqual([false, []]);
  const plugin = await serveDevicePlugin({ folder, resource, devices: "a" });
  await plugin.register();
  await expect.poll(() => readFileSync(path, "utf8")).toContain('{"example.com/dev":["a"]}');
});

test("openDevices: the error of a plugin is said once", async () => {
  const folder = testFolder();
  const devices = await opened(folder);
  const plugin = await serveDevicePlugin({
    ...{ folder, resource, devices: "a" },
    respond: () => {
      throw new Error("broken");
    },
  });
  await plugin.register();
  await expect.poll(() => amountsOf(devices)).toBe("1/1");
  const pod = podOf("p", { c: 1 });
  const failure = await devices.manager.allocate(pod, firstOf(pod), anywhere).catch(errorMessage);
  expect(failure).toMatch(/^[^:]*rpc error: code = Unknown desc = broken/);
  expect(failure?.match(/broken/g)).toHaveLength(1);
});

test("openDevices: plugins learn why they cannot register", async () => {
  const folder = testFolder();
  await opened(folder);
  const plugin = await serveDevicePlugin({ folder, resource, devices: "a" });
  await expect(plugin.register({ version: "v1" })).rejects.toThrow(
    'rpc error: code = Unknown desc = requested API version "v1" is not supported by kubelet. Supported version is ["v1beta1"]',
  );
  await expect(plugin.register({ resource: "cpu" })).rejects.toThrow(
    'rpc error: code = Unknown desc = the ResourceName "cpu" is invalid',
  );
});

test("openDevices: plugins register through the folder of all plugins, too", async () => {
  const folder = testFolder();
  const registry = testFolder();
  const devices = await opened(folder);
  const handlers = { DevicePlugin: devices.handler };
  const clock = realClock;
  const watcher = await openPluginWatcher({ folder: registry, handlers, clock, log: noLog });
  onTestFinished(() => watcher.close());
  await serveDevicePlugin({ folder, resource, devices: "a" });
  const endpoint = join(folder, "example.com-dev.sock");
  const outcomes: string[] = [];
  const introduce = (name: string, changes: object) =>
    serveSocket(
      join(registry, `${name}.sock`),
      registrationHandlers(
        { type: "DevicePlugin", name: resource, endpoint, versions: ["v1beta1"], ...changes },
        outcomes,
      ),
    );
  await introduce("old", { versions: ["v1alpha", "v1"] });
  await expect
    .poll(() => outcomes.splice(0))
    .toEqual([
      "RegisterPlugin error -- plugin validation failed with err: manager version, v1beta1, is not among plugin supported versions [v1alpha v1]",
    ]);
  const good = await introduce("good", {});
  await expect.poll(() => amountsOf(devices)).toBe("1/1");
  await good.close();
  await expect.poll(() => amountsOf(devices)).toBe("1/0");
});
