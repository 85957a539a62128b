import type { Clock } from "../../../base/clock.ts";
import { errorMessage } from "../../../base/error-message.ts";
import type { MessageOf } from "../../../base/protobuf-message.ts";
import type { ListAndWatchResponse } from "../../devices/device-messages.ts";
import type { Device, DevicePlugin } from "../../devices/device-plugin.ts";
import {
  firstCall,
  NotConnected,
  type PluginClient,
  pluginClient,
} from "../plugins/plugin-client.ts";
import { deviceMethods } from "./device-service.ts";

/** A plugin that can be called. */
export interface ConnectedDevicePlugin {
  readonly plugin: DevicePlugin;
  /** Receives the devices, each time that they change, until the plugin ends or the connection is closed. */
  watch(receiver: {
    readonly list: (devices: readonly Device[]) => void;
    readonly ended: (why: string) => void;
  }): void;
  close(): void;
}

/** Connects to the plugin at a socket. */
export async function connectDevicePlugin(
  socket: string,
  clock: Clock,
): Promise<ConnectedDevicePlugin> {
  const client = pluginClient(socket);
  try {
    const options = await firstCall({ clock }, () => client.call(deviceMethods.getOptions, {}));
    return {
      plugin: devicePlugin(client, {
        needsPreStart: options.pre_start_required,
        hasPreferences: options.get_preferred_allocation_available,
      }),
      watch: ({ list, ended }) =>
        void client.follow(
          deviceMethods.listAndWatch,
          {},
          {
            message: (response) => list(response.devices.map(deviceOf)),
            end: (error) => ended(error?.message ?? "EOF"),
          },
        ),
      close: () => client.close(),
    };
  } catch (error) {
    client.close();
    const why = errorMessage(error);
    if (error instanceof NotConnected) throw new Error(`failed to dial device plugin: ${why}`);
    throw new Error(`failed to get device plugin options: ${why}`);
  }
}

const devicePlugin = (
  client: PluginClient,
  options: Pick<DevicePlugin, "needsPreStart" | "hasPreferences">,
): DevicePlugin => ({
  ...options,
  async allocate(ids) {
    const response = await client.call(deviceMethods.allocate, {
      container_requests: [{ devices_ids: ids }],
    });
    const [first] = response.container_responses;
    if (!first) throw new Error("no containers return in allocation response ");
    return first;
  },
  async preferredDevices({ available, mustInclude, size }) {
    const response = await client.call(deviceMethods.getPreferredAllocation, {
      container_requests: [
        {
          available_deviceIDs: available,
          must_include_deviceIDs: mustInclude,
          allocation_size: size,
        },
      ],
    });
    return response.container_responses[0]?.deviceIDs ?? [];
  },
  async preStart(ids) {
    await client.call(
      deviceMethods.preStartContainer,
      { devices_ids: ids },
      { timeoutMs: preStartMs },
    );
  },
});

const preStartMs = 30_000;

type ListedDevice = MessageOf<typeof ListAndWatchResponse>["devices"][number];

const deviceOf = ({ ID, health, topology }: ListedDevice): Device => ({
  id: ID,
  isHealthy: health === "Healthy",
  numaNodes: topology?.nodes.map((node) => node.ID) ?? [],
});
