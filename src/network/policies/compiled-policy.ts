import type { LabelSelector } from "../../api/meta/v1/label-selector.ts";
import type {
  IPBlock,
  NetworkPolicyPeer,
  NetworkPolicyPort,
  NetworkPolicySpec,
} from "../../api/networking/v1/network-policy-spec.ts";
import { labelSelector, nothing, type Selector } from "../../schema/selectors/label-selector.ts";
import { type Cidr, masked, parseCidrSloppy, unmap } from "../../schema/values/ip.ts";
import { type Family, widthOf } from "./family.ts";
import { isProtocol, type Protocol } from "./policy-pod.ts";
import { mergedRanges, type Range, withoutRanges } from "./ranges.ts";

export type Direction = "ingress" | "egress";

export const directions: readonly Direction[] = ["ingress", "egress"];

/** A policy in the form in which it is looked up. */
export interface CompiledPolicy {
  readonly namespace: string;
  /** The pods that it is about. */
  readonly selector: Selector;
  /** Its rules in the directions that it is about. */
  readonly rules: Readonly<Partial<Record<Direction, readonly PolicyRule[]>>>;
}

/** Traffic with any of the peers at any of the ports is allowed; undefined: with all, at all. */
export interface PolicyRule {
  readonly peers: readonly Peer[] | undefined;
  readonly ports: Ports | undefined;
}

export type Peer =
  | { readonly pods: PodPeer }
  | { readonly family: Family; readonly blocks: readonly Range<bigint>[] };

/** Pods of one namespace, or of all those with certain labels. */
export interface PodPeer {
  /** Equal for peers that are the same pods. */
  readonly key: string;
  readonly namespace: string | Selector;
  readonly selector: Selector;
}

export interface Ports {
  /** The numbers of ports by protocol. */
  readonly numbers: ReadonlyMap<Protocol, readonly Range<number>[]>;
  /** Ports that the receiving pod names. */
  readonly names: readonly { readonly name: string; readonly protocol: Protocol }[];
}

/** Compiles a policy. What cannot be understood selects or allows nothing. */
export function compilePolicy(namespace: string, spec: NetworkPolicySpec): CompiledPolicy {
  const { ingress = [], egress = [], policyTypes = [] } = spec;
  const types =
    policyTypes.length > 0 ? policyTypes : egress.length > 0 ? ["Ingress", "Egress"] : ["Ingress"];
  const compile = (peers: readonly NetworkPolicyPeer[] = [], ports: PortList = []): PolicyRule => ({
    peers: peers.length === 0 ? undefined : peers.flatMap((peer) => peersOf(namespace, peer)),
    ports: ports.length === 0 ? undefined : portsOf(ports),
  });
  return {
    namespace,
    selector: selectorOf(spec.podSelector ?? {}),
    rules: {
      ...(types.includes("Ingress") && {
        ingress: ingress.map(({ from, ports }) => compile(from, ports)),
      }),
      ...(types.includes("Egress") && {
        egress: egress.map(({ to, ports }) => compile(to, ports)),
      }),
    },
  };
}

type PortList = readonly NetworkPolicyPort[];

function peersOf(namespace: string, peer: NetworkPolicyPeer): readonly Peer[] {
  const { podSelector, namespaceSelector, ipBlock } = peer;
  if (ipBlock) return blocksOf(ipBlock);
  if (!podSelector && !namespaceSelector) return [];
  const pods: PodPeer = {
    key: JSON.stringify([
      namespaceSelector ? selectorKey(namespaceSelector) : namespace,
      selectorKey(podSelector ?? {}),
    ]),
    namespace: namespaceSelector ? selectorOf(namespaceSelector) : namespace,
    selector: selectorOf(podSelector ?? {}),
  };
  return [{ pods }];
}

/** Old objects can have selectors that are no longer valid. */
function selectorOf(selector: LabelSelector): Selector {
  try {
    return labelSelector(selector);
  } catch {
    return nothing;
  }
}

/** The same for equal selectors, whatever the order of their labels is. */
const selectorKey = ({ matchLabels = {}, matchExpressions = [] }: LabelSelector) => [
  Object.entries(matchLabels).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  matchExpressions.map(({ key, operator, values = [] }) => [key, operator, ...values.toSorted()]),
];

function blocksOf({ cidr, except = [] }: IPBlock): readonly Peer[] {
  const block = rangeOf(cidr);
  if (!block) return [];
  const exceptions = except.flatMap((text) => rangeOf(text) ?? []);
  const others = exceptions.filter(({ family }) => family === block.family);
  // An exception that cannot be read may have been meant to exclude anything.
  if (exceptions.length < except.length) return [];
  return [{ family: block.family, blocks: withoutRanges(block, others) }];
}

function rangeOf(text: string): (Range<bigint> & { readonly family: Family }) | undefined {
  const parsed = parseCidrSloppy(text);
  const cidr = parsed && unmapped(parsed);
  if (!cidr) return undefined;
  const family = cidr.ip.version === 4 ? "ip" : "ip6";
  const first = masked(cidr).ip.bits;
  return { family, first, last: first + (1n << BigInt(widthOf(family) - cidr.prefix)) - 1n };
}

/** A network of IPv4-mapped addresses as IPv4. */
function unmapped(cidr: Cidr): Cidr {
  const ip = unmap(cidr.ip);
  if (ip.version === cidr.ip.version || cidr.prefix < 96) return cidr;
  return { ip, prefix: cidr.prefix - 96 };
}

function portsOf(ports: PortList): Ports {
  const numbers = new Map<Protocol, Range<number>[]>();
  const names = new Map<string, { readonly name: string; readonly protocol: Protocol }>();
  for (const { port, endPort, protocol = "TCP" } of ports) {
    if (!isProtocol(protocol)) continue;
    if (typeof port === "string") {
      names.set(`${protocol} ${port}`, { name: port, protocol });
      continue;
    }
    const range =
      port === undefined ? { first: 0, last: highestPort } : { first: port, last: endPort ?? port };
    if (range.last >= range.first) numbers.set(protocol, [...(numbers.get(protocol) ?? []), range]);
  }
  return {
    numbers: new Map([...numbers].map(([protocol, ranges]) => [protocol, mergedRanges(ranges)])),
    names: [...names.values()],
  };
}

const highestPort = 65_535;
