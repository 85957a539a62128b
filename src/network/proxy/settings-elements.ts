import { addressesOf, type IpFamily, rangesOf } from "../services/ip-family.ts";
import { type Elements, ElementsBuilder, nftFamily } from "./elements.ts";

/** What is known of a node and its cluster, beside services. */
export interface NodeFacts {
  /** The ranges of addresses that services get. */
  readonly serviceRanges: readonly string[];
  /** Where packets of pods come from. */
  readonly podRanges: readonly string[];
  /** The addresses that have node ports, if not all have. */
  readonly nodePortIPs: readonly string[];
}

/** The elements that follow from what is known of the node and its cluster. */
export function settingsElements(family: IpFamily, facts: NodeFacts): Elements {
  const into = new ElementsBuilder(nftFamily(family));
  for (const range of rangesOf(family, facts.serviceRanges)) into.add("service-ranges", range);
  for (const range of rangesOf(family, facts.podRanges)) into.add("pod-ranges", range);
  for (const address of addressesOf(family, facts.nodePortIPs)) into.add("node-port-ips", address);
  return into.elements;
}
