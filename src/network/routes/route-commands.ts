import { formatCidr, formatIp } from "../../schema/values/ip.ts";
import { families, type Tunnel, vxlanId } from "./flannel-annotations.ts";
import type { InterfaceRow } from "./own-network.ts";
import type { NodeRoute, RoutePlan } from "./plan-routes.ts";

/** The number by which routes to the pods of other nodes are recognized as ours. */
export const routeProtocol = 88;

/** The VXLAN devices of both families, named as flannel's. */
export const tunnelDevices = { 4: "flannel.1", 6: "flannel-v6.1" } as const;

/** What is programmed, in the rows that `ip -json` and `bridge -json` print. */
export interface FoundRoutes {
  readonly interfaces: readonly InterfaceRow[];
  /** The routes with our number. */
  readonly routes: readonly { readonly dst?: string }[];
  /** The permanent neighbours, of all interfaces. */
  readonly neighbours: readonly { readonly dst?: string; readonly dev?: string }[];
  /** The forwarding entries of the VXLAN devices. */
  readonly forwarding: readonly {
    readonly mac?: string;
    readonly dst?: string;
    readonly ifname?: string;
  }[];
}

/** This node's end of a tunnel. */
export interface OwnTunnel extends Tunnel {
  /** The interface that has the address. */
  readonly device: string;
  readonly mtu: number;
}

/** The commands of `ip`, then of `bridge`, that make of what is programmed what is planned. */
export interface RouteCommands {
  readonly ip: readonly string[];
  readonly bridge: readonly string[];
}

export function routeCommands(
  { own, routes }: Pick<RoutePlan, "own" | "routes">,
  tunnels: ReadonlyMap<4 | 6, OwnTunnel>,
  found: FoundRoutes,
): RouteCommands {
  const ofTunnels = families.map((version) => {
    const peers = routes.filter(
      (route): route is TunnelRoute => "tunnel" in route && route.range.ip.version === version,
    );
    const tunnel = tunnels.get(version);
    const range = own.find(({ ip }) => ip.version === version);
    if (tunnel && range && peers.length > 0)
      return tunnelCommands({ version, tunnel, address: formatIp(range.ip), peers }, found);
    // One of flannel itself is not ours to remove.
    const row = interfaceRow(found, version);
    const gone = row?.ifalias === ours ? [`link delete dev ${tunnelDevices[version]}`] : [];
    return { ip: gone, bridge: [] };
  });
  const wanted = routes.filter((route) => "via" in route || tunnels.has(route.range.ip.version));
  const ranges = new Set(wanted.map(({ range }) => formatCidr(range)));
  const others = found.routes.filter(({ dst = "" }) => !ranges.has(withLength(dst)));
  return {
    ip: [
      // First: they go with their device, too.
      ...others.map(({ dst }) => `route del ${dst} proto ${routeProtocol}`),
      ...ofTunnels.flatMap(({ ip }) => ip),
      ...wanted.map(routeCommand),
    ],
    bridge: ofTunnels.flatMap(({ bridge }) => bridge),
  };
}

type TunnelRoute = NodeRoute & { readonly tunnel: Tunnel };

/** What the VXLAN device of a family is to be, and the nodes behind it. */
interface TunnelPlan {
  readonly version: 4 | 6;
  readonly tunnel: OwnTunnel;
  readonly address: string;
  readonly peers: readonly TunnelRoute[];
}

/** A packet to a range goes to the first address of it, which is at the other device, which is at a node. */
function tunnelCommands(
  { version, tunnel, address, peers }: TunnelPlan,
  found: FoundRoutes,
): RouteCommands {
  const device = tunnelDevices[version];
  const row = interfaceRow(found, version);
  const neighbours = new Map(peers.map(({ range, tunnel }) => [formatIp(range.ip), tunnel.mac]));
  const forwarding = new Map(peers.map(({ tunnel }) => [tunnel.mac, tunnel.to]));
  const formerNeighbours = found.neighbours.filter(
    ({ dst = "", dev }) => dev === device && !neighbours.has(dst),
  );
  const formerForwarding = found.forwarding.filter(
    ({ mac = "", dst, ifname }) => ifname === device && dst !== undefined && !forwarding.has(mac),
  );
  return {
    ip: [
      ...deviceCommands(version, tunnel, row),
      ...addressCommands(device, address, row),
      ...[...neighbours].map(
        ([to, mac]) => `neigh replace ${to} lladdr ${mac} dev ${device} nud permanent`,
      ),
      ...formerNeighbours.map(({ dst }) => `neigh del ${dst} dev ${device}`),
    ],
    bridge: [
      ...[...forwarding].map(
        ([mac, to]) => `fdb replace ${mac} dev ${device} dst ${to} self permanent`,
      ),
      ...formerForwarding.map(({ mac, dst }) => `fdb del ${mac} dev ${device} dst ${dst} self`),
    ],
  };
}

const interfaceRow = (
  { interfaces }: FoundRoutes,
  version: 4 | 6,
): FoundRoutes["interfaces"][number] | undefined =>
  interfaces.find(({ ifname }) => ifname === tunnelDevices[version]);

function routeCommand(route: NodeRoute): string {
  const { ip } = route.range;
  const way =
    "via" in route
      ? `via ${route.via} dev ${route.device}`
      : `via ${formatIp(ip)} dev ${tunnelDevices[ip.version]} onlink`;
  return `route replace ${formatCidr(route.range)} ${way} proto ${routeProtocol}`;
}

/** The text by which a VXLAN device is recognized as ours. */
const ours = "wherry";

/** A device that is not as it should be is made anew: most of it cannot be changed. */
function deviceCommands(
  version: 4 | 6,
  { mac, to, device, mtu }: OwnTunnel,
  row: InterfaceRow | undefined,
): readonly string[] {
  const name = tunnelDevices[version];
  const { id, port, local, local6 } = row?.linkinfo?.info_data ?? {};
  const isSame =
    row?.linkinfo?.info_kind === "vxlan" &&
    id === vxlanId &&
    port === vxlanPort &&
    (version === 4 ? local : local6) === to;
  const size = mtu - overhead[version];
  const change = `link set ${name} address ${mac} mtu ${size} alias ${ours} up`;
  if (isSame)
    return row.address === mac &&
      row.mtu === size &&
      row.ifalias === ours &&
      row.flags?.includes("UP")
      ? []
      : [change];
  return [
    ...(row ? [`link delete dev ${name}`] : []),
    `link add ${name} type vxlan id ${vxlanId} local ${to} dev ${device} dstport ${vxlanPort} nolearning`,
    change,
  ];
}

const vxlanPort = 8472;
const overhead = { 4: 50, 6: 70 } as const;

/** The device has the first address of the node's range, from which the node itself sends to pods. */
function addressCommands(
  device: string,
  address: string,
  row: InterfaceRow | undefined,
): readonly string[] {
  const text = `${address}/${address.includes(":") ? 128 : 32}`;
  const others = (row?.addr_info ?? []).filter(
    ({ local, scope }) => scope === "global" && local !== address,
  );
  return [
    ...others.map(({ local, prefixlen }) => `addr del ${local}/${prefixlen} dev ${device}`),
    `addr replace ${text} dev ${device}${address.includes(":") ? " nodad" : ""}`,
  ];
}

/** `ip` leaves out the length of a single address. */
const withLength = (dst: string): string =>
  dst.includes("/") ? dst : `${dst}/${dst.includes(":") ? 128 : 32}`;
