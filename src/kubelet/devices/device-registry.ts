import { type Clock, steadyTimeOf } from "../../base/clock.ts";
import type { Amounts } from "../node/node-findings.ts";
import type { Device, DevicePlugin } from "./device-plugin.ts";

/** A resource that a plugin provides. */
interface Resource {
  /** Undefined until the plugin of an earlier kubelet registers again. */
  plugin: DevicePlugin | undefined;
  /** When the plugin ended; undefined while it runs. */
  stoppedAt: number | undefined;
  /** As they were listed last. */
  devices: ReadonlyMap<string, Device>;
  /** Whether this plugin has listed them: until then, and when it has ended, none is usable. */
  isListed: boolean;
}

/** The resources of device plugins, and the health of their devices. */
export class DeviceRegistry {
  readonly #steadyTime: () => number;
  readonly #resources = new Map<string, Resource>();
  /** Resources whose plugins are gone for good: nodes have none of them. */
  readonly #removed = new Set<string>();

  constructor(clock: Clock) {
    this.#steadyTime = steadyTimeOf(clock);
  }

  /** Adds a resource that an earlier kubelet had; it has no devices until its plugin registers again. */
  restore(resource: string): void {
    const stoppedAt = this.#steadyTime();
    const devices = new Map();
    this.#resources.set(resource, { plugin: undefined, stoppedAt, devices, isListed: false });
  }

  /** The plugin of a resource has registered. */
  connect(resource: string, plugin: DevicePlugin): void {
    const devices = this.#resources.get(resource)?.devices ?? new Map();
    this.#resources.set(resource, { plugin, stoppedAt: undefined, devices, isListed: false });
    this.#removed.delete(resource);
  }

  /** A plugin has ended. */
  disconnect(resource: string, plugin: DevicePlugin): void {
    const known = this.#resources.get(resource);
    if (known?.plugin !== plugin) return;
    known.stoppedAt = this.#steadyTime();
    known.isListed = false;
  }

  /** Replaces the devices of a resource; returns those that were not there, or whose health has changed. */
  list(resource: string, plugin: DevicePlugin, devices: readonly Device[]): readonly string[] {
    const known = this.#resources.get(resource);
    if (known?.plugin !== plugin) return [];
    const before = known.devices;
    known.devices = new Map(devices.map((device) => [device.id, device]));
    known.isListed = true;
    return devices
      .filter(({ id, isHealthy }) => before.get(id)?.isHealthy !== isHealthy)
      .map(({ id }) => id);
  }

  has(resource: string): boolean {
    return this.#resources.has(resource);
  }

  names(): readonly string[] {
    return [...this.#resources.keys()];
  }

  /** The latest plugin of a resource, which may have ended. */
  pluginOf(resource: string): DevicePlugin | undefined {
    return this.#resources.get(resource)?.plugin;
  }

  /** The plugin of a resource. Throws if it has ended. */
  runningPluginOf(resource: string): DevicePlugin {
    const known = this.#resources.get(resource);
    if (!known?.plugin || known.stoppedAt !== undefined)
      throw new Error(`endpoint ${resource} has been stopped`);
    return known.plugin;
  }

  devicesOf(resource: string): ReadonlyMap<string, Device> {
    return this.#resources.get(resource)?.devices ?? new Map();
  }

  /** The devices of a resource that can be used. */
  healthy(resource: string): readonly string[] {
    if (!this.#resources.get(resource)?.isListed) return [];
    const all = [...this.devicesOf(resource).values()];
    return all.filter(({ isHealthy }) => isHealthy).map(({ id }) => id);
  }

  /**
   * What a node has of these resources. Capacity counts all devices, allocatable the healthy ones. A resource whose
   * plugin ended five minutes ago is removed: it becomes 0, and not absent, as a plugin provided it once.
   */
  amounts(): { readonly capacity: Amounts; readonly allocatable: Amounts } {
    for (const [resource, { stoppedAt }] of this.#resources) {
      if (stoppedAt === undefined || this.#steadyTime() - stoppedAt <= graceMs) continue;
      this.#resources.delete(resource);
      this.#removed.add(resource);
    }
    const capacity: Record<string, string> = {};
    const allocatable: Record<string, string> = {};
    for (const resource of this.#removed) capacity[resource] = allocatable[resource] = "0";
    for (const [resource, { devices }] of this.#resources) {
      capacity[resource] = String(devices.size);
      allocatable[resource] = String(this.healthy(resource).length);
    }
    return { capacity, allocatable };
  }
}

const graceMs = 5 * 60_000;
