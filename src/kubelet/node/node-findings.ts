import type { NodeStatus } from "../../api/core/v1/node/node-status.ts";
import type { RuntimeStatus } from "../../cri/runtime-status.ts";

/** What a kubelet finds on its machine when it computes the status of its node. */
export interface NodeFindings {
  /** Resources of the machine, which replace those of the configuration. */
  readonly capacity?: Amounts | undefined;
  /** Whether the storage of the machine is a resource; by default it is. */
  readonly hasStorage?: boolean | undefined;
  /** The resources of device plugins: all devices, and the healthy ones, which pods may use. */
  readonly devices?: { readonly capacity: Amounts; readonly allocatable: Amounts } | undefined;
  /** The resources that hard eviction thresholds keep free, beside those that the configuration reserves. */
  readonly evictionReserve?: Amounts | undefined;
  /** The addresses of the machine, the preferred one first; by default that of the configuration. */
  readonly addresses?: readonly string[] | undefined;
  /** Replaces what the configuration says about the system. */
  readonly info?: Partial<NodeStatus["nodeInfo"]> | undefined;
  /** The pressures that the node is under. */
  readonly pressures?: readonly NodePressure[] | undefined;
  /** Why the node is not ready; empty if it is. */
  readonly problems?: readonly string[] | undefined;
  /** What is missing although the node is ready. */
  readonly warning?: string | undefined;
  /** What the container runtime can do, once it is known. */
  readonly runtime?: Pick<RuntimeStatus, "handlers" | "features"> | undefined;
  /** The attachable volumes that pods use; undefined before the kubelet knows them all. */
  readonly volumesInUse?: readonly string[] | undefined;
}

/** Quantities of resources by name. */
export type Amounts = Readonly<Record<string, string>>;

/** A condition of a node that is short of a resource. */
export type NodePressure = "MemoryPressure" | "DiskPressure" | "PIDPressure";
