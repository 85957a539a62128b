import type { NodeStatus } from "../../api/core/v1/node/node-status.ts";
import type { Taint } from "../../api/core/v1/scheduling/taint.ts";

/** The configuration of a node, by flags or otherwise. */
export interface NodeConfig {
  readonly name: string;
  /** The node's address, at which its kubelet is found, too. */
  readonly address: string;
  /** Where the kubelet listens. */
  readonly port: number;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Only for who registers; later taints are others' affair. */
  readonly taints?: readonly Taint[] | undefined;
  readonly isUnschedulable?: boolean | undefined;
  /** What the machine has: `{ cpu: "4", memory: "16Gi", pods: "110" }`, and what else it may be. */
  readonly capacity: Readonly<Record<string, string>>;
  /** What of it is not for pods. */
  readonly reserved?: Readonly<Record<string, string>> | undefined;
  /** Where its pods have their addresses from. */
  readonly podCidr?: string | undefined;
  readonly providerID?: string | undefined;
  readonly info: NodeStatus["nodeInfo"];
}
