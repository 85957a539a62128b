import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import type { Metrics } from "../../../base/metrics.ts";
import { encodeDeviceCheckpoint } from "../../devices/device-checkpoint.ts";
import { DeviceManager, type DeviceManagerOptions } from "../../devices/device-manager.ts";
import { createDeviceMetrics } from "../../devices/device-metrics.ts";
import { DeviceRegistry } from "../../devices/device-registry.ts";
import { checkpointWriter } from "../checkpoint-writer.ts";
import type { PluginHandler } from "../plugins/plugin-handler.ts";
import { DevicePlugins } from "./device-plugins.ts";
import { deviceApiVersion } from "./device-service.ts";
import { resourceProblem, serveRegistration } from "./serve-registration.ts";

export interface DevicesOptions
  extends Pick<
    DeviceManagerOptions,
    "numaNodes" | "isActive" | "wasRunning" | "affinityOf" | "changed"
  > {
  /** The folder of the sockets of device plugins, and of the checkpoint. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** The devices of a machine, which plugins provide. */
export interface Devices {
  readonly manager: DeviceManager;
  readonly registry: DeviceRegistry;
  /** Registers plugins whose sockets are in the folder of all plugins. */
  readonly handler: PluginHandler;
  /** Whether no kubelet has had devices on this machine. */
  readonly isNew: boolean;
  /** Lets plugins register, once pods are known. */
  serve(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the devices of a machine, with what an earlier kubelet has allocated. */
export async function openDevices(options: DevicesOptions): Promise<Devices> {
  const { folder, clock, log } = options;
  const path = join(folder, "kubelet_internal_checkpoint");
  const registry = new DeviceRegistry(clock);
  const metrics = createDeviceMetrics(options.metrics, clock);
  const stored = await readFile(path, "utf8").catch(() => undefined);
  const write = checkpointWriter(path, stored);
  const manager = new DeviceManager({
    ...{ ...options, registry, metrics },
    save: (checkpoint) => write(encodeDeviceCheckpoint(checkpoint)),
  });
  try {
    if (stored !== undefined) manager.restore(stored);
  } catch (error) {
    log.error("reading the checkpoint of devices failed", error, { path });
  }
  const plugins = new DevicePlugins({
    ...{ clock, log },
    connected: (resource, plugin) => registry.connect(resource, plugin),
    listed: (resource, plugin, devices) => manager.list(resource, plugin, devices),
    disconnected: (resource, plugin) => registry.disconnect(resource, plugin),
  });
  let server: { close(): Promise<void> } | undefined;
  return {
    ...{ manager, registry, isNew: stored === undefined },
    handler: {
      problemOf: ({ name, versions }) => {
        if (!versions.includes(deviceApiVersion))
          return `manager version, ${deviceApiVersion}, is not among plugin supported versions [${versions.join(" ")}]`;
        const problem = resourceProblem(name);
        return problem && `invalid name of device plugin socket: ${problem}`;
      },
      register: ({ name, endpoint }) => plugins.connect(name, endpoint),
      deregister: async ({ name }) => plugins.disconnect(name),
    },
    async serve() {
      server = await serveRegistration({
        folder,
        register(resource, socket) {
          metrics.registered(resource);
          return plugins.connect(resource, socket);
        },
      });
    },
    async close() {
      plugins.close();
      await server?.close();
    },
  };
}
