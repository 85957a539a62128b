import type { ContainerDevice, ContainerMount } from "../../cri/linux-types.ts";
import type { ContainerAdditions } from "../pod/pod-host.ts";
import type { ContainerAllocateResponse } from "./device-messages.ts";

/** Combines what the plugins of a container's devices say; of two settings of the same thing, the first counts. */
export function containerDevices(
  responses: readonly ContainerAllocateResponse[],
): ContainerAdditions {
  const env = new Map<string, string>();
  const mounts = new Map<string, ContainerMount>();
  const devices = new Map<string, ContainerDevice>();
  const annotations = new Map<string, string>();
  const cdiDevices = new Set<string>();
  for (const response of responses) {
    addNew(env, Object.entries(response.envs));
    addNew(annotations, Object.entries(response.annotations));
    for (const { container_path: containerPath, host_path: hostPath, ...one } of response.mounts)
      addNew(mounts, [[containerPath, { containerPath, hostPath, readonly: one.read_only }]]);
    for (const { container_path: containerPath, host_path: hostPath, ...one } of response.devices)
      addNew(devices, [[containerPath, { containerPath, hostPath, permissions: one.permissions }]]);
    for (const { name } of response.cdi_devices) cdiDevices.add(name);
  }
  return {
    env: Array.from(env, ([name, value]) => ({ name, value })),
    mounts: [...mounts.values()],
    devices: [...devices.values()],
    annotations: Object.fromEntries(annotations),
    cdiDevices: [...cdiDevices],
  };
}

function addNew<V>(map: Map<string, V>, entries: readonly (readonly [string, V])[]): void {
  for (const [key, value] of entries) if (!map.has(key)) map.set(key, value);
}
