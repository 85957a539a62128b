import { expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { DeviceRegistry } from "./device-registry.ts";
import { devicesOf, notingPlugin } from "./devices.test-support.ts";

const resource = "example.com/dev";

function registryWith(text: string) {
  const clock = new VirtualClock();
  const registry = new DeviceRegistry(clock);
  const plugin = notingPlugin([]);
  registry.connect(resource, plugin);
  registry.list(resource, plugin, devicesOf(text));
  const amounts = (): string => {
    const { capacity, allocatable } = registry.amounts();
    return `${capacity[resource]}/${allocatable[resource]}`;
  };
  return { clock, registry, plugin, amounts };
}

test("DeviceRegistry: sick devices are capacity, but cannot be used", () => {
  const { registry, plugin, amounts } = registryWith("a !b c");
  expect(amounts()).toBe("3/2");
  expect(registry.healthy(resource)).toEqual(["a", "c"]);
  expect(registry.list(resource, plugin, devicesOf("a b d"))).toEqual(["b", "d"]);
  expect(amounts()).toBe("3/3");
});

test("DeviceRegistry: the devices of a plugin that ended are gone after five minutes", async () => {
  const { clock, registry, plugin, amounts } = registryWith("a b");
  registry.disconnect(resource, plugin);
  expect(amounts()).toBe("2/0");
  expect(() => registry.runningPluginOf(resource)).toThrow(
    "endpoint example.com/dev has been stopped",
  );
  await clock.advance(5 * 60_000);
  expect(amounts()).toBe("2/0");
  await clock.advance(1);
  expect(amounts()).toBe("0/0");
  expect(registry.has(resource)).toBe(false);
  const next = notingPlugin([]);
  registry.connect(resource, next);
  expect(amounts()).toBe("0/0");
  registry.list(resource, next, devicesOf("a"));
  expect(amounts()).toBe("1/1");
});

test("DeviceRegistry: the end of a plugin that was replaced does not matter", () => {
  const { registry, plugin, amounts } = registryWith("a b");
  const next = notingPlugin([]);
  registry.connect(resource, next);
  expect(amounts()).toBe("2/0");
  registry.list(resource, next, devicesOf("a"));
  registry.disconnect(resource, plugin);
  expect(registry.list(resource, plugin, [])).toEqual([]);
  expect(amounts()).toBe("1/1");
});

test("DeviceRegistry: after a restart a resource has no devices, and is gone if no plugin comes", async () => {
  const clock = new VirtualClock();
  const registry = new DeviceRegistry(clock);
  registry.restore(resource);
  expect(registry.amounts().capacity).toEqual({ [resource]: "0" });
  expect(registry.has(resource)).toBe(true);
  await clock.advance(5 * 60_000 + 1);
  expect(registry.amounts().capacity).toEqual({ [resource]: "0" });
  expect(registry.has(resource)).toBe(false);
});
