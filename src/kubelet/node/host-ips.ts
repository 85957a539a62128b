import type { Node } from "../../api/core/v1/node/node.ts";

/** The addresses of a node that its pods have as host addresses: one of each family; none if unknown. */
export function hostIPs(node: Node | undefined): readonly string[] {
  const of = (type: string): readonly string[] =>
    (node?.status.addresses ?? []).filter((one) => one.type === type).map(({ address }) => address);
  const all = [...of("InternalIP"), ...of("ExternalIP")];
  const [first] = all;
  if (first === undefined) return [];
  const other = all.find((address) => isIPv6(address) !== isIPv6(first));
  return other === undefined ? [first] : [first, other];
}

const isIPv6 = (address: string): boolean => address.includes(":");
