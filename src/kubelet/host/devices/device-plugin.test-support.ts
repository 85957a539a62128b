import { join } from "node:path";
import type { MessageOf, Sent } from "../../../base/protobuf-message.ts";
import { type GrpcReply, streamHandler, unaryHandler } from "../../../platform/grpc/grpc-server.ts";
import type {
  ContainerAllocateResponse,
  DevicePluginOptions,
  ListAndWatchResponse,
} from "../../devices/device-messages.ts";
import { devicesOf } from "../../devices/devices.test-support.ts";
import { serveSocket } from "../plugins/plugin.test-support.ts";
import { pluginClient } from "../plugins/plugin-client.ts";
import { deviceMethods, registerMethod } from "./device-service.ts";

export interface TestPluginOptions {
  /** The folder of the sockets of device plugins. */
  readonly folder: string;
  readonly resource: string;
  /** As `devicesOf` reads them. */
  readonly devices: string;
  readonly options?: Sent<MessageOf<typeof DevicePluginOptions>>;
  readonly respond?: (ids: readonly string[]) => Sent<ContainerAllocateResponse>;
}

/** A device plugin, at a socket of its own until the test ends. */
export interface TestPlugin {
  /** What it was called with. */
  readonly calls: string[];
  register(request?: { readonly version?: string; readonly resource?: string }): Promise<void>;
  /** Tells that its devices have changed. */
  list(devices: string): Promise<void>;
  close(): Promise<void>;
}

/** Serves a device plugin, which registers when it is told to. */
export async function serveDevicePlugin(given: TestPluginOptions): Promise<TestPlugin> {
  const { folder, resource, options = {}, respond = () => ({}) } = given;
  const name = `${resource.replace("/", "-")}.sock`;
  const calls: string[] = [];
  const watchers = new Set<GrpcReply<MessageOf<typeof ListAndWatchResponse>>>();
  let devices = given.devices;
  const { close } = await serveSocket(join(folder, name), [
    unaryHandler(deviceMethods.getOptions, async () => options),
    streamHandler(deviceMethods.listAndWatch, async (_, reply) => {
      watchers.add(reply);
      await reply.send(listOf(devices));
      await new Promise((resolve) => reply.signal.addEventListener("abort", resolve));
      watchers.delete(reply);
    }),
    unaryHandler(deviceMethods.allocate, async ({ container_requests: requests }) => {
      const ids = requests[0]?.devices_ids ?? [];
      calls.push(`allocate ${ids.join(" ")}`);
      return { container_responses: [respond(ids)] };
    }),
    unaryHandler(deviceMethods.getPreferredAllocation, async ({ container_requests: [one] }) => {
      const available = one?.available_deviceIDs ?? [];
      calls.push(`prefer ${one?.allocation_size} of ${available.join(" ")}`);
      const last = available.slice(-(one?.allocation_size ?? 0));
      return { container_responses: [{ deviceIDs: last }] };
    }),
    unaryHandler(deviceMethods.preStartContainer, async ({ devices_ids: ids }) => {
      calls.push(`prestart ${ids.join(" ")}`);
      return {};
    }),
  ]);
  return {
    calls,
    async register({ version = "v1beta1", resource: other = resource } = {}) {
      const client = pluginClient(join(folder, "kubelet.sock"));
      const request = { version, endpoint: name, resource_name: other };
      await client.call(registerMethod, request).finally(() => client.close());
    },
    async list(changed) {
      devices = changed;
      for (const reply of watchers) await reply.send(listOf(devices));
    },
    close,
  };
}

const listOf = (devices: string): Sent<MessageOf<typeof ListAndWatchResponse>> => ({
  devices: devicesOf(devices).map(({ id, isHealthy, numaNodes }) => ({
    ID: id,
    health: isHealthy ? "Healthy" : "Unhealthy",
    ...(numaNodes.length > 0 && { topology: { nodes: numaNodes.map((node) => ({ ID: node })) } }),
  })),
});
