import type { Frontend } from "../services/frontends.ts";
import { isInside } from "../services/ip-family.ts";
import type { ProxiedEndpoint } from "../services/proxied-endpoints.ts";
import { type Elements, ElementsBuilder, nftFamily } from "./elements.ts";
import {
  chainRules,
  firstLocal,
  type NftProtocol,
  pickVerdict,
  rememberVerdict,
} from "./pick-chain.ts";
import { addStickyMemory, addStickySets } from "./sticky-sets.ts";

/** The elements that make frontends of one family lead to their endpoints. */
export function frontendElements(
  frontends: readonly Frontend[],
  nodeIPs: readonly string[],
): Elements {
  const [first] = frontends;
  if (!first) return new Map();
  const into = new ElementsBuilder(nftFamily(first.family));
  for (const frontend of frontends) {
    if (frontend.address === undefined) addNodePort(into, frontend);
    else addService(into, { ...frontend, address: frontend.address });
    restrict(into, frontend, nodeIPs);
    addHairpins(into, frontend);
  }
  return into.elements;
}

function addService(into: ElementsBuilder, frontend: Frontend & { readonly address: string }) {
  const { address, kind, endpoints, localEndpoints, refusal } = frontend;
  const key = `${address} . ${portKey(frontend)}`;
  if (kind === "cluster-ip") into.add("cluster-ips", address);
  if (refusal) into.add("no-endpoints", key, refusals[refusal]);
  if (endpoints.length === 0) return;
  const policy = policyOf(frontend);
  if (policy) into.add("service-policies", key, policy.replace("-at", "-at-service"));
  into.add("service-ips", key, pickFor(into, frontend, "cluster"));
  for (const [i, endpoint] of endpoints.entries())
    into.add(
      `${nftProtocol(frontend)}-service-endpoints`,
      `${i} . ${address} . ${frontend.port}`,
      target(endpoint),
    );
  if (localEndpoints && localEndpoints.length > 0) {
    into.add("local-service-ips", key, pickFor(into, frontend, "local"));
    for (const [i, endpoint] of localEndpoints.entries())
      into.add(
        `${nftProtocol(frontend)}-service-endpoints`,
        `${firstLocal + i} . ${address} . ${frontend.port}`,
        target(endpoint),
      );
  }
  if (frontend.affinitySeconds > 0) into.add("sticky-services", key, rememberFor(into, frontend));
}

function addNodePort(into: ElementsBuilder, frontend: Frontend) {
  const { endpoints, localEndpoints, refusal } = frontend;
  const key = portKey(frontend);
  if (refusal) into.add("no-endpoint-node-ports", key, refusals[refusal]);
  if (endpoints.length === 0) return;
  const policy = policyOf(frontend);
  if (policy) into.add("node-port-policies", key, policy.replace("-at", "-at-node-port"));
  into.add("node-ports", key, pickFor(into, frontend, "cluster"));
  for (const [i, endpoint] of endpoints.entries())
    into.add(
      `${nftProtocol(frontend)}-node-port-endpoints`,
      `${i} . ${frontend.port}`,
      target(endpoint),
    );
  if (localEndpoints && localEndpoints.length > 0) {
    into.add("local-node-ports", key, pickFor(into, frontend, "local"));
    for (const [i, endpoint] of localEndpoints.entries())
      into.add(
        `${nftProtocol(frontend)}-node-port-endpoints`,
        `${firstLocal + i} . ${frontend.port}`,
        target(endpoint),
      );
  }
  if (frontend.affinitySeconds > 0) into.add("sticky-node-ports", key, rememberFor(into, frontend));
}

const refusals = { reject: "goto refuse", drop: "drop" } as const;

const policyOf = ({ isMasqueraded, localEndpoints }: Frontend): string | undefined =>
  isMasqueraded ? "jump mark-packet" : localEndpoints ? "jump local-at" : undefined;

function pickFor(into: ElementsBuilder, frontend: Frontend, list: "cluster" | "local"): string {
  const endpoints = list === "cluster" ? frontend.endpoints : (frontend.localEndpoints ?? []);
  const verdict = pickVerdict({
    protocol: nftProtocol(frontend),
    by: frontend.address === undefined ? "node-port" : "service",
    ...{ list, count: endpoints.length, isSticky: staySeconds(frontend) > 0 },
  });
  if (frontend.family === "IPv4" || frontend.affinitySeconds === 0) return verdict;
  return addStickySets(into, frontend, endpoints, chainRules(verdict, "ip6")?.rules ?? []);
}

const rememberFor = (into: ElementsBuilder, frontend: Frontend): string =>
  frontend.family === "IPv4"
    ? rememberVerdict(frontend.affinitySeconds)
    : addStickyMemory(into, frontend);

/** The part of keys that names protocol and port. */
const portKey = ({ protocol, port }: Pick<Frontend, "protocol" | "port">): string =>
  `${protocol.toLowerCase()} . ${port}`;

/** For how long the map of clients has those of a frontend; those of IPv6 are in sets. */
export const staySeconds = ({ family, affinitySeconds }: Frontend): number =>
  family === "IPv4" ? affinitySeconds : 0;

const nftProtocol = ({ protocol }: Pick<Frontend, "protocol">): NftProtocol =>
  protocol.toLowerCase() as NftProtocol;

const target = ({ address, port }: ProxiedEndpoint): string => `${address} . ${port}`;

/**
 * Only some may use the address of a load balancer. If the node is one of them, it may also do so with that address
 * as its own: then its packets never leave it.
 */
function restrict(into: ElementsBuilder, frontend: Frontend, nodeIPs: readonly string[]): void {
  const { address, sourceRanges } = frontend;
  if (address === undefined || sourceRanges.length === 0) return;
  const key = `${address} . ${portKey(frontend)}`;
  into.add("restricted-services", key);
  const allowed = nodeIPs.some((ip) => isInside(ip, sourceRanges));
  const own = allowed && !isInside(address, sourceRanges) ? [address] : [];
  for (const range of [...sourceRanges, ...own]) into.add("source-ranges", `${key} . ${range}`);
}

/** Endpoints of this node may reach themselves, and then must see another source than themselves. */
function addHairpins(into: ElementsBuilder, frontend: Frontend): void {
  const protocol = frontend.protocol.toLowerCase();
  for (const list of [frontend.endpoints, frontend.localEndpoints ?? []])
    for (const { isLocal, address, port } of list)
      if (isLocal) into.add("hairpins", `${address} . ${address} . ${protocol} . ${port}`);
}
