import { BlockList, isIPv6 } from "node:net";
import { Node } from "../../api/core/v1/node/node.ts";
import type { Informers } from "../../client/informer/informers.ts";
import { parseCidr } from "../../schema/values/ip.ts";

/** The clients that may send queries to the address of a node, which others on its network can reach, too. */
export interface NodeClients {
  allows(address: string): boolean;
  close(): void;
}

/** Allows the nodes of the cluster and their pods: forwarding for everybody would serve attacks on others. */
export function followNodeClients(informers: Informers): NodeClients {
  const nodes = informers.of(Node);
  let list: BlockList | undefined;
  const changed = (): void => {
    list = undefined;
  };
  nodes.addHandler({
    added: changed,
    updated: (node, old) => {
      if (rangesOf(node).join() !== rangesOf(old).join()) changed();
    },
    deleted: changed,
  });
  return {
    allows(address) {
      list ??= listOf(nodes.list());
      return list.check(address, isIPv6(address) ? "ipv6" : "ipv4");
    },
    close: () => nodes.close(),
  };
}

function listOf(nodes: readonly Node[]): BlockList {
  const list = new BlockList();
  for (const range of ["127.0.0.0/8", "::1/128", ...nodes.flatMap(rangesOf)]) {
    const cidr = parseCidr(range);
    const [address = "", prefix] = range.split("/");
    if (cidr) list.addSubnet(address, Number(prefix), cidr.ip.version === 6 ? "ipv6" : "ipv4");
  }
  return list;
}

function rangesOf({ spec, status }: Node): readonly string[] {
  const { podCIDR, podCIDRs = podCIDR === undefined ? [] : [podCIDR] } = spec ?? {};
  const addresses = (status?.addresses ?? []).map(({ address }) => address);
  return [...podCIDRs, ...addresses.map((address) => `${address}/${isIPv6(address) ? 128 : 32}`)];
}
