import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { ContainerAllocateResponse } from "./device-messages.ts";
import type { Device, DevicePlugin } from "./device-plugin.ts";

/** Devices by a text such as `a@0 b@1 c@01 d !e`: their NUMA nodes follow `@`, unhealthy ones begin with `!`. */
export const devicesOf = (text: string): readonly Device[] =>
  text.split(" ").map((word) => {
    const [, sick, id = "", nodes = ""] = /^(!?)([^@]+)(?:@(\d+))?$/.exec(word) ?? [];
    return { id, isHealthy: sick === "", numaNodes: [...nodes].map(Number) };
  });

/** A pod whose containers want devices of `example.com/dev`, by name; init containers begin with `i`, sidecars with `s`. */
export function podOf(uid: string, wanted: Readonly<Record<string, number>>): Pod {
  const containers = Object.entries(wanted).map(([name, amount]) => ({
    name,
    resources: { limits: { "example.com/dev": String(amount) } },
    ...(name.startsWith("s") && { restartPolicy: "Always" }),
  }));
  const isInit = ({ name }: { readonly name: string }): boolean => /^[is]/.test(name);
  return {
    metadata: { name: uid, namespace: "default", uid },
    spec: {
      initContainers: containers.filter(isInit),
      containers: containers.filter((one) => !isInit(one)),
    },
    status: {},
  } as unknown as Pod;
}

/** A response of a plugin, in which most is empty. */
export const responseWith = (
  changes: Partial<ContainerAllocateResponse> = {},
): ContainerAllocateResponse => ({
  ...{ envs: {}, mounts: [], devices: [], annotations: {}, cdi_devices: [] },
  ...changes,
});

/** A plugin that notes what it is asked for. */
export const notingPlugin = (
  calls: string[],
  changes: Partial<DevicePlugin> = {},
): DevicePlugin => ({
  needsPreStart: false,
  hasPreferences: false,
  async allocate(ids) {
    calls.push(`allocate ${ids.join(" ")}`);
    return responseWith({ envs: { DEVICES: ids.join(",") } });
  },
  async preferredDevices({ available, mustInclude, size }) {
    calls.push(`prefer ${size} of ${available.join(" ")}, with ${mustInclude.join(" ")}`);
    return [];
  },
  async preStart(ids) {
    calls.push(`prestart ${ids.join(" ")}`);
  },
  ...changes,
});
