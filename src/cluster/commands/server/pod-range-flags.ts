import { errorMessage } from "../../../base/error-message.ts";
import { boolFlag, intFlag, stringFlag } from "../../../cli/flag.ts";
import { createParts } from "../../../controllers/controller-module.ts";
import { nodeIpamModule } from "../../../controllers/nodeipam/node-ipam-module.ts";
import type { ClusterRanges } from "../../box/choose-ranges.ts";
import { joinedPodRanges } from "../../node/pod-range.ts";

/** Flags of node-ipam-controller, which is on in a server. */
export const podRangeFlags = {
  "allocate-node-cidrs": boolFlag({
    usage: "whether nodes that join get ranges of pod addresses",
    default: true,
  }),
  "cluster-cidr": stringFlag({
    usage: `the range of pod addresses, of which each node that joins gets a part (default ${joinedPodRanges().join()})`,
  }),
  "node-cidr-mask-size": intFlag({
    usage: "the mask size of a node's range (default 24, or 64 for IPv6)",
  }),
};

/** The values of these flags; those of a server that are not given have their defaults. */
export interface PodRangeValues {
  readonly "allocate-node-cidrs"?: boolean;
  readonly "cluster-cidr"?: string;
  readonly "node-cidr-mask-size"?: number;
  readonly "service-cluster-ip-range"?: string;
}

/** The settings of node-ipam-controller; `ranges` are those of nodes on this machine. */
export const podRangeSettings = (
  values: PodRangeValues,
  ranges?: Pick<ClusterRanges, "pods" | "ipv6">,
): PodRangeValues => ({
  "allocate-node-cidrs": values["allocate-node-cidrs"] ?? true,
  "cluster-cidr": values["cluster-cidr"] || joinedPodRanges(ranges).join(),
  "node-cidr-mask-size": values["node-cidr-mask-size"] ?? 0,
  "service-cluster-ip-range": values["service-cluster-ip-range"] ?? "",
});

/** Why nodes cannot get such ranges. The range of services is the API server's to check. */
export function podRangeProblems(values: PodRangeValues): string[] {
  const settings = { ...podRangeSettings(values), "service-cluster-ip-range": "" };
  try {
    createParts(nodeIpamModule, { values: settings });
    return [];
  } catch (error) {
    return [errorMessage(error)];
  }
}
