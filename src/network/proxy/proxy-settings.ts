import { isInside, rangesOf } from "../services/ip-family.ts";
import type { Family } from "./elements.ts";
import type { LocalTraffic } from "./proxy-table.ts";
import type { ProxyTables } from "./proxy-transaction.ts";
import type { NodeFacts } from "./settings-elements.ts";

/** What can be chosen of a service proxy. */
export interface ProxySettings {
  readonly masqueradeBit: number;
  readonly masqueradesAll: boolean;
  /** How traffic of pods is told from other traffic. */
  readonly localTraffic:
    | { readonly by: "ranges"; readonly ranges: readonly string[] }
    | { readonly by: "node-ranges" }
    | { readonly by: "interface"; readonly name: string }
    | { readonly by: "nothing" };
  /** The ranges of the addresses that have node ports, or the node's own addresses; all if empty. */
  readonly nodePortAddresses: readonly string[] | "primary";
  /** The least time between the starts of two transactions, in milliseconds. */
  readonly minSyncMs: number;
  /** After how many milliseconds a failed transaction is tried again. */
  readonly syncMs: number;
}

/** The settings of the proxy of a node that is not configured otherwise. */
export const defaultProxySettings: ProxySettings = {
  ...{ masqueradeBit: 14, masqueradesAll: false, localTraffic: { by: "node-ranges" } },
  ...{ nodePortAddresses: [], minSyncMs: 0, syncMs: 30_000 },
};

/** What a machine and the cluster say of a node. */
export interface NodeObservations {
  readonly nodeIPs: readonly string[];
  /** The ranges of the node's pods. */
  readonly podCIDRs: readonly string[];
  readonly serviceCIDRs: readonly string[];
  /** All addresses of the machine. */
  readonly machineIPs: readonly string[];
}

/** What settings and observations together make of the tables. */
export function appliedSettings(
  settings: ProxySettings,
  seen: NodeObservations,
): { readonly tables: ProxyTables; readonly facts: NodeFacts } {
  const { localTraffic, nodePortAddresses } = settings;
  const podRanges =
    localTraffic.by === "ranges"
      ? localTraffic.ranges
      : localTraffic.by === "node-ranges"
        ? seen.podCIDRs
        : [];
  const table = (family: Family) => {
    const ipFamily = family === "ip" ? ("IPv4" as const) : ("IPv6" as const);
    // Until the ranges of pods are known, all traffic is taken for theirs.
    const local: LocalTraffic | undefined =
      localTraffic.by === "interface"
        ? { interface: localTraffic.name }
        : rangesOf(ipFamily, podRanges).length > 0
          ? "pod-ranges"
          : undefined;
    const ranges = nodePortAddresses === "primary" ? [] : rangesOf(ipFamily, nodePortAddresses);
    return {
      ...{ masqueradeBit: settings.masqueradeBit, masqueradesAll: settings.masqueradesAll },
      localTraffic: local,
      choosesNodePortIPs:
        nodePortAddresses === "primary" ||
        (ranges.length > 0 && !ranges.some((range) => range.endsWith("/0"))),
    };
  };
  const nodePortIPs = chosenAddresses(settings, seen.nodeIPs, seen.machineIPs);
  return {
    tables: { ip: table("ip"), ip6: table("ip6") },
    facts: { serviceRanges: seen.serviceCIDRs, podRanges, nodePortIPs },
  };
}

/** The addresses that have node ports and health check ports; empty if all have. */
export const chosenAddresses = (
  { nodePortAddresses }: ProxySettings,
  nodeIPs: readonly string[],
  machineIPs: readonly string[],
): readonly string[] =>
  nodePortAddresses === "primary"
    ? nodeIPs
    : machineIPs.filter((address) => isInside(address, nodePortAddresses));
