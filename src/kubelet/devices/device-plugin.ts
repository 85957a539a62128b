import type { ContainerAllocateResponse } from "./device-messages.ts";

/** A device, as its plugin describes it. */
export interface Device {
  readonly id: string;
  readonly isHealthy: boolean;
  /** The NUMA nodes that it is close to; empty if it is close to all. */
  readonly numaNodes: readonly number[];
}

/** The plugin of a resource. */
export interface DevicePlugin {
  /** Whether it must be called before a container with its devices starts. */
  readonly needsPreStart: boolean;
  /** Whether it prefers some devices to others. */
  readonly hasPreferences: boolean;
  /** Makes devices ready for a container. */
  allocate(ids: readonly string[]): Promise<ContainerAllocateResponse>;
  preferredDevices(request: DevicePreferences): Promise<readonly string[]>;
  preStart(ids: readonly string[]): Promise<void>;
}

export interface DevicePreferences {
  readonly available: readonly string[];
  /** The devices that the container gets in any case. */
  readonly mustInclude: readonly string[];
  readonly size: number;
}
