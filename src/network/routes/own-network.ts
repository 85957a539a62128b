import { contains, formatIp, type Ip, parseIp } from "../../schema/values/ip.ts";

/** An interface of this node, in the output of `ip -details -json address`, as far as it matters. */
export interface InterfaceRow {
  readonly ifname?: string;
  readonly mtu?: number;
  readonly address?: string;
  readonly flags?: readonly string[];
  readonly ifalias?: string;
  readonly linkinfo?: { readonly info_kind?: string; readonly info_data?: VxlanData };
  readonly addr_info?: readonly AddressRow[];
}

export interface VxlanData {
  readonly id?: number;
  readonly local?: string;
  readonly local6?: string;
  readonly port?: number;
}

interface AddressRow {
  readonly local?: string;
  readonly prefixlen?: number;
  readonly scope?: string;
}

/** The interface on whose link an address is; undefined if routers are between. */
export function linkTo(rows: readonly InterfaceRow[], ip: Ip): string | undefined {
  const found = addressesOf(rows)
    .filter(({ local, prefix }) => prefix < widthOf(local) && contains({ ip: local, prefix }, ip))
    .sort((a, b) => b.prefix - a.prefix);
  return found[0]?.name;
}

/** The interface that has an address. */
export function interfaceOf(rows: readonly InterfaceRow[], ip: Ip): InterfaceRow | undefined {
  const text = formatIp(ip);
  return rows.find(({ addr_info = [] }) => addr_info.some(({ local }) => local === text));
}

const widthOf = ({ version }: Ip): number => (version === 4 ? 32 : 128);

function addressesOf(rows: readonly InterfaceRow[]) {
  return rows.flatMap(({ ifname: name = "", linkinfo, addr_info = [] }) => {
    // What seems to be on the link of a tunnel or of the pods' former bridge is reached by our routes.
    if (name === "lo" || name === "cni0" || linkinfo?.info_kind === "vxlan") return [];
    return addr_info.flatMap(({ local = "", prefixlen: prefix = 128, scope }) => {
      const ip = parseIp(local);
      return ip && scope === "global" ? [{ name, local: ip, prefix }] : [];
    });
  });
}
