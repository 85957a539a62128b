import { createHash } from "node:crypto";
import type { Frontend } from "../services/frontends.ts";
import type { ProxiedEndpoint } from "../services/proxied-endpoints.ts";
import type { ElementsBuilder, Family } from "./elements.ts";
import { proxyTable } from "./proxy-table.ts";

/*
 * Session affinity of IPv6. The map of clients that IPv4 has is not possible: nft (1.0.6) aborts at a statement that
 * stores more than 16 bytes as the key or the data of a map. So each endpoint of a frontend has a set of its clients,
 * and a frontend has chains that look for a client in these sets, and that remember it there.
 *
 * Names of chains follow from their rules: a chain never changes, and another takes its place. Those of sets follow from
 * frontend and endpoint, so that clients stay while other endpoints come and go.
 */

/** Adds the sets of the clients of a frontend, and the chain that uses them: the verdict that leads there. */
export function addStickySets(
  into: ElementsBuilder,
  frontend: Frontend,
  endpoints: readonly ProxiedEndpoint[],
  pickAny: readonly string[],
): string {
  const rules = endpoints.map((endpoint) => {
    const set = setName(frontend, endpoint);
    into.add("sticky-sets", set);
    return `${protocolMatch(frontend)} ip6 saddr @${set} dnat ip6 to [${endpoint.address}]:${endpoint.port}`;
  });
  return addChain(into, [...rules, ...pickAny]);
}

/** Adds the chain that remembers clients of a frontend; the verdict that leads to it. */
export function addStickyMemory(into: ElementsBuilder, frontend: Frontend): string {
  const { endpoints, localEndpoints = [], affinitySeconds, protocol } = frontend;
  const all = new Map(
    [...endpoints, ...localEndpoints].map((one) => [setName(frontend, one), one]),
  );
  return addChain(
    into,
    [...all].map(
      ([set, { address, port }]) =>
        `${protocolMatch(frontend)} ip6 daddr ${address} ${protocol.toLowerCase()} dport ${port} update @${set} { ct original ip6 saddr timeout ${affinitySeconds}s }`,
    ),
  );
}

function addChain(into: ElementsBuilder, rules: readonly string[]): string {
  const text = rules.join("\n");
  const name = `sticky-${shortHash(text)}`;
  into.add("sticky-chains", name, text);
  return `goto ${name}`;
}

const protocolMatch = ({ protocol }: Frontend): string => `meta l4proto ${protocol.toLowerCase()}`;

const setName = (
  { address = "*", protocol, port }: Frontend,
  to: Pick<ProxiedEndpoint, "address" | "port">,
): string => `clients-${shortHash(`${address} ${protocol} ${port} ${to.address} ${to.port}`)}`;

const shortHash = (text: string): string =>
  createHash("sha256").update(text).digest("hex").slice(0, 20);

/** The line of nft that makes a set of clients. */
export const stickySetLine = (family: Family, name: string): string =>
  `add set ${family} ${proxyTable} ${name} { type ipv6_addr; flags dynamic, timeout; size 65536; timeout 3h; }`;

/** A client of an endpoint, as the kernel has it. */
export interface StickyMember {
  readonly set: string;
  readonly client: string;
  readonly timeout: number;
  readonly expires: number;
}

/** Reads the output of `nft -j list sets ip6`. */
export function parseStickySets(json: string): readonly StickyMember[] {
  const { nftables = [] } = JSON.parse(json || "{}") as { readonly nftables?: readonly Listed[] };
  return nftables.flatMap(({ set }) =>
    set?.table === proxyTable && set.name.startsWith("clients-")
      ? (set.elem ?? []).flatMap(({ elem: { val, timeout = 0, expires = 0 } = {} }) =>
          val === undefined ? [] : [{ set: set.name, client: val, timeout, expires }],
        )
      : [],
  );
}

interface Listed {
  readonly set?: {
    readonly name: string;
    readonly table: string;
    readonly elem?: readonly {
      readonly elem?: {
        readonly val?: string;
        readonly timeout?: number;
        readonly expires?: number;
      };
    }[];
  };
}

/** The lines that keep clients with their endpoints in a table that replaces another. */
export const keepMembers = (
  members: readonly StickyMember[],
  has: (set: string) => boolean,
): readonly string[] =>
  members.flatMap(({ set, client, timeout, expires }) =>
    has(set) && timeout > 0
      ? [
          `add element ip6 ${proxyTable} ${set} { ${client} timeout ${timeout}s expires ${Math.max(1, expires)}s }`,
        ]
      : [],
  );
