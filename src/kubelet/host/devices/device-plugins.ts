import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import type { Device, DevicePlugin } from "../../devices/device-plugin.ts";
import { type ConnectedDevicePlugin, connectDevicePlugin } from "./connect-device-plugin.ts";

export interface DevicePluginsOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly connected: (resource: string, plugin: DevicePlugin) => void;
  readonly listed: (
    resource: string,
    plugin: DevicePlugin,
    devices: readonly Device[],
  ) => Promise<void>;
  readonly disconnected: (resource: string, plugin: DevicePlugin) => void;
}

/** The connections to device plugins, one for each resource. */
export class DevicePlugins {
  readonly #options: DevicePluginsOptions;
  readonly #connections = new Map<string, ConnectedDevicePlugin>();
  #isClosed = false;

  constructor(options: DevicePluginsOptions) {
    this.#options = options;
  }

  /** Connects to the plugin of a resource, in place of the one before. */
  async connect(resource: string, socket: string): Promise<void> {
    const { clock, log } = this.#options;
    const connection = await connectDevicePlugin(socket, clock);
    this.disconnect(resource);
    if (this.#isClosed) {
      connection.close();
      return;
    }
    const { plugin } = connection;
    this.#connections.set(resource, connection);
    this.#options.connected(resource, plugin);
    connection.watch({
      list: (devices) =>
        void this.#options
          .listed(resource, plugin, devices)
          .catch((error: unknown) => log.error("storing the devices failed", error, { resource })),
      ended: (why) => {
        log.warn("a device plugin has ended", { resource, error: why });
        if (this.#connections.get(resource) === connection) this.disconnect(resource);
      },
    });
    log.info("connected to a device plugin", { resource, socket });
  }

  disconnect(resource: string): void {
    const connection = this.#connections.get(resource);
    if (!connection) return;
    this.#connections.delete(resource);
    connection.close();
    this.#options.disconnected(resource, connection.plugin);
  }

  close(): void {
    this.#isClosed = true;
    for (const resource of [...this.#connections.keys()]) this.disconnect(resource);
  }
}
