import type { Taint } from "../../api/core/v1/scheduling/taint.ts";
import { digestOf } from "../../cri/simulated/chance.ts";
import type { NodeConfig } from "../node/node-config.ts";

/** The configurable properties of a simulated node. */
export interface SimulatedNode {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly taints?: readonly Taint[] | undefined;
  /** Differences from 4 CPUs, 16Gi of memory, 110 pods and 100Gi of disk. */
  readonly capacity?: Readonly<Record<string, string>> | undefined;
  /** Its address; by default its own, which only the cluster's network reaches. */
  readonly address?: string | undefined;
}

/** The simulated nodes of a cluster. */
export interface SimulatedNodeOptions {
  /** The nodes, or the number of nodes `node-1`, `node-2` and so on. */
  readonly nodes: number | readonly SimulatedNode[];
  /** The address and port of all kubelets, if they do not have their own. */
  readonly listener?: { readonly address: string; readonly port: number } | undefined;
  /** By default v1.36.0. */
  readonly kubeletVersion?: string | undefined;
}

/** The configurations of nodes, by number from 0 on. */
export function simulatedNodeConfigs({
  nodes,
  listener,
  kubeletVersion = "v1.36.0",
}: SimulatedNodeOptions): readonly NodeConfig[] {
  const list: readonly SimulatedNode[] =
    typeof nodes === "number"
      ? Array.from({ length: nodes }, (_, i) => ({ name: `node-${i + 1}` }))
      : nodes;
  return list.map(({ name, labels, taints, capacity, address }, i) => ({
    name,
    labels,
    taints,
    address: address ?? listener?.address ?? nodeAddress(i),
    port: listener?.port ?? 10250,
    capacity: { ...usualCapacity, ...capacity },
    podCidr: podCidr(i),
    info: nodeInfo(name, kubeletVersion),
  }));
}

const usualCapacity = {
  cpu: "4",
  "ephemeral-storage": "100Gi",
  memory: "16Gi",
  pods: "110",
};

/** 10.89.0.1, and so on. */
const nodeAddress = (i: number): string => `10.89.${Math.floor((i + 1) / 256)}.${(i + 1) % 256}`;

/** 10.244.0.0/24 and so on, up to 10.255.255.0/24. */
function podCidr(i: number): string {
  const second = 244 + Math.floor(i / 256);
  if (second > 255)
    throw new RangeError("there are addresses for the pods of 3072 nodes, not more");
  return `10.${second}.${i % 256}.0/24`;
}

function nodeInfo(name: string, kubeletVersion: string): NodeConfig["info"] {
  const uuid = (what: string): string =>
    digestOf(`${name}/${what}`).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
  return {
    architecture: "amd64",
    bootID: uuid("boot"),
    containerRuntimeVersion: "wherry://simulated",
    kernelVersion: "6.12.0-simulated",
    kubeProxyVersion: "",
    kubeletVersion,
    machineID: digestOf(`${name}/machine`).slice(0, 32),
    operatingSystem: "linux",
    osImage: "Wherry simulated node",
    systemUUID: uuid("system"),
  };
}
