import { formatSubnet, parseSubnet } from "../../engine/network/ipv4.ts";
import type { ClusterRanges } from "../box/choose-ranges.ts";
import { ipv6Ranges } from "../box/ipv6-ranges.ts";

/** The range of the pods of a node, by its number from 0 on: 256 addresses of the range of all pods. */
export function podRange(pods: string, number: number): string {
  const all = parseSubnet(pods);
  const base = (all?.base ?? 0) + number * 256;
  if (!all || base + 256 > all.base + 2 ** (32 - all.prefixLength))
    throw new Error(`${pods} has no addresses for the pods of ${number + 1} nodes`);
  return formatSubnet({ base, prefixLength: 24 });
}

/**
 * The ranges, one of each family, from which machines that join get addresses for their pods: the upper half of the
 * range of all pods, as nodes of this machine count from its beginning; without such nodes, one that simulated nodes
 * do not use.
 */
export function joinedPodRanges(ranges?: Pick<ClusterRanges, "pods" | "ipv6">): readonly string[] {
  const all = ranges && parseSubnet(ranges.pods);
  if (!all) return ["10.243.0.0/16"];
  const prefixLength = all.prefixLength + 1;
  const half = formatSubnet({ base: all.base + 2 ** (32 - prefixLength), prefixLength });
  return ranges.ipv6 === undefined ? [half] : [half, ipv6Ranges(ranges.ipv6).joined];
}
