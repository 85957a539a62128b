import type { Node } from "../../../api/core/v1/node/node.ts";
import type { NodeStatus } from "../../../api/core/v1/node/node-status.ts";
import { type Clock, steadyTimeOf } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import type { RuntimeService } from "../../../cri/runtime-service.ts";
import type { Amounts, NodeFindings, NodePressure } from "../../node/node-findings.ts";
import type { RuntimeHealth } from "../../node/runtime-health.ts";
import { readFilesystem } from "./filesystem.ts";
import { openMachine } from "./machine.ts";
import { machineCapacity, type PodLimits } from "./machine-capacity.ts";
import { type NodeAddressesOptions, nodeAddresses } from "./node-addresses.ts";

export interface MachineFindingsOptions extends PodLimits, NodeAddressesOptions {
  readonly runtime: Pick<RuntimeService, "updateRuntimeConfig">;
  readonly health: RuntimeHealth;
  readonly clock: Clock;
  readonly log: Log;
  /** The folder of the kubelet, whose file system holds what pods write. */
  readonly rootDir: string;
  /** The node as it is stored: the runtime is notified of its range of pod addresses. */
  readonly node: () => Node | undefined;
  /** Replaces resources that were found, where several nodes share a machine. */
  readonly capacity?: Amounts | undefined;
  /** Replaces what was found of the system, such as the machine's ID. */
  readonly info?: Partial<NodeStatus["nodeInfo"]> | undefined;
  /** Whether the storage of the node is a resource of pods; by default it is. */
  readonly limitsLocalStorage?: boolean | undefined;
  /** The resources that hard eviction thresholds keep free of a capacity. */
  readonly evictionReserve?: ((capacity: Amounts) => Amounts) | undefined;
  readonly pressures?: (() => readonly NodePressure[]) | undefined;
  /** Further reasons why the node is not ready, such as its shutdown. */
  readonly problems?: (() => readonly string[]) | undefined;
  readonly devices?: (() => NodeFindings["devices"]) | undefined;
  readonly volumesInUse?: (() => readonly string[] | undefined) | undefined;
}

/** Reads the findings of a node from its machine and its runtime. */
export function createMachineFindings(
  options: MachineFindingsOptions,
): () => Promise<NodeFindings> {
  const { runtime, clock, log, node, health, limitsLocalStorage: hasStorage = true } = options;
  const steadyTime = steadyTimeOf(clock);
  const machine = openMachine(clock);
  let addresses: KnownAddresses = { found: undefined, at: Number.NEGATIVE_INFINITY };
  let podCidrs = "";

  /** Resolving names takes time: addresses are read again after a minute. The last ones stay if that fails. */
  const findAddresses = async (): Promise<readonly string[] | undefined> => {
    if (steadyTime() - addresses.at < addressesMs) return addresses.found;
    const found = await nodeAddresses(options).catch((error: unknown) => {
      log.warn("finding the addresses of the node failed", { error });
      return addresses.found;
    });
    addresses = { found, at: steadyTime() };
    return found;
  };
  const updatePodCidrs = async (): Promise<void> => {
    const latest = node()?.spec.podCIDRs?.join(",") ?? "";
    if (latest === "" || latest === podCidrs) return;
    try {
      await runtime.updateRuntimeConfig({ podCidr: latest });
      podCidrs = latest;
    } catch (error) {
      log.warn("updating the range of pod addresses failed", { podCidrs: latest, error });
    }
  };

  return async () => {
    const [info, filesystem, found] = await Promise.all([
      machine.info(),
      readFilesystem(options.rootDir).catch(() => undefined),
      findAddresses(),
      health.check(),
    ]);
    if (health.status) await updatePodCidrs();
    const { machineID, systemUUID, bootID, kernelVersion, osImage, architecture } = info;
    const capacity = {
      ...machineCapacity(info, options, hasStorage ? filesystem?.capacityBytes : undefined),
      ...options.capacity,
    };
    return {
      capacity,
      hasStorage,
      devices: options.devices?.(),
      evictionReserve: options.evictionReserve?.(capacity),
      addresses: found,
      info: {
        machineID,
        systemUUID,
        bootID,
        kernelVersion,
        osImage,
        architecture,
        operatingSystem: "linux",
        containerRuntimeVersion: health.version,
        ...(info.swapBytes > 0 && { swap: { capacity: info.swapBytes } }),
        ...options.info,
      },
      pressures: options.pressures?.(),
      problems: [...health.problems(), ...(options.problems?.() ?? [])],
      runtime: health.status,
      volumesInUse: options.volumesInUse?.(),
    };
  };
}

interface KnownAddresses {
  readonly found: readonly string[] | undefined;
  readonly at: number;
}

const addressesMs = 60_000;
