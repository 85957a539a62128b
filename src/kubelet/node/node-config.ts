import type { NodeStatus } from "../../api/core/v1/node/node-status.ts";
import type { Taint } from "../../api/core/v1/scheduling/taint.ts";

/** The configuration of a node, by flags or otherwise. */
export interface NodeConfig {
  readonly name: string;
  /** The address of the node and its kubelet. */
  readonly address: string;
  /** The port of the kubelet. */
  readonly port: number;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Whether somebody else creates the node; by default the kubelet does. */
  readonly isRegisteredByOthers?: boolean | undefined;
  /** Used at registration only; later the kubelet does not change taints. */
  readonly taints?: readonly Taint[] | undefined;
  /** If a cloud provider initializes the node: whether an address is configured, and the ones that it must keep. */
  readonly cloudProvider?: CloudProvider | undefined;
  readonly isUnschedulable?: boolean | undefined;
  /** The resources of the machine: `{ cpu: "4", memory: "16Gi", pods: "110" }` and others. */
  readonly capacity: Readonly<Record<string, string>>;
  /** The resources that are reserved for the system. */
  readonly reserved?: Readonly<Record<string, string>> | undefined;
  /** The ranges of pod addresses, separated by commas. */
  readonly podCidr?: string | undefined;
  readonly providerID?: string | undefined;
  readonly info: NodeStatus["nodeInfo"];
  /** The features that the kubelet declares, in alphabetical order. */
  readonly declaredFeatures?: readonly string[] | undefined;
  /** How many images the status lists: 50 by default, all with -1. */
  readonly maxImages?: number | undefined;
  /** After how long the status is written although nothing changed; five minutes by default. */
  readonly reportMs?: number | undefined;
}

/** The addresses with which a node that a cloud provider initializes was configured. */
export interface CloudProvider {
  /** Whether there is one, perhaps an unspecified one such as 0.0.0.0. */
  readonly hasAddress: boolean;
  /** Those that are specified, separated by commas; empty without any. */
  readonly addresses: string;
}
