import { readFileSync } from "node:fs";
import { CniError } from "../../../cri/cni/cni-error.ts";
import type { CniDns, CniRoute } from "../../../cri/cni/cni-result.ts";
import { isAtLeast } from "../../../cri/cni/cni-version.ts";
import { formatIp, type Ip, parseIp } from "../../../schema/values/ip.ts";
import type { NetworkConfig, PluginCall } from "../plugin.ts";
import { checkOverlaps, type RangeSet, readRangeSet } from "./ip-range.ts";

/** Where `host-local` takes addresses from. */
export interface IpamConfig {
  readonly sets: readonly RangeSet[];
  readonly routes: readonly CniRoute[];
  /** The folder with a folder for each network. */
  readonly dataDir: string;
  readonly dns: CniDns;
}

/** Reads the part `ipam` of a configuration. Throws if it is invalid. */
export function readIpamConfig({
  name,
  cniVersion,
  ipam,
  runtimeConfig,
}: NetworkConfig): IpamConfig {
  if (!ipam) throw new CniError("invalidConfig", "IPAM config missing 'ipam' key");
  const { ranges, subnet, rangeStart, rangeEnd, gateway, routes, dataDir, resolvConf } = ipam;
  const single = subnet === undefined ? [] : [[{ subnet, rangeStart, rangeEnd, gateway }]];
  const all = [
    ...listOf(runtimeConfig?.ipRanges, "ipRanges"),
    ...single,
    ...listOf(ranges, "ranges"),
  ];
  if (all.length === 0) throw new CniError("invalidConfig", "no IP ranges specified");
  const sets = all.map(readRangeSet);
  const mostOfFamily = Math.max(
    ...[4, 6].map((family) => sets.filter(([first]) => first?.version === family).length),
  );
  if (mostOfFamily > 1 && !isAtLeast(cniVersion, "0.3.0"))
    throw new CniError(
      "invalidConfig",
      `CNI version ${cniVersion} does not support more than 1 address per family`,
    );
  checkOverlaps(sets);
  if (dataDir !== undefined && typeof dataDir !== "string")
    throw new CniError("invalidConfig", `dataDir of ${name} is not a text`);
  return {
    sets,
    routes: listOf(routes, "routes") as readonly CniRoute[],
    dataDir: dataDir || "/var/lib/cni/networks",
    dns:
      typeof resolvConf === "string" && resolvConf !== ""
        ? parseResolvConf(readFileSync(resolvConf, "utf8"))
        : {},
  };
}

/** The addresses that a caller asks for: by the environment, the arguments of the configuration, or a capability. */
export function requestedAddresses({
  args,
  config,
}: Pick<PluginCall, "args" | "config">): readonly Ip[] {
  const texts = [
    ...(args.ip ? args.ip.split(",") : []),
    ...listOf(config.args?.cni?.ips, "ips"),
    ...listOf(config.runtimeConfig?.ips, "ips"),
  ];
  const read = texts.map((text) => {
    const ip = typeof text === "string" ? parseIp(text.split("/", 1)[0] ?? "") : undefined;
    if (!ip) throw new CniError("invalidConfig", `cannot understand ip: ${String(text)}`);
    return ip;
  });
  return [...new Map(read.map((ip) => [formatIp(ip), ip])).values()];
}

export function parseResolvConf(text: string): CniDns {
  const nameservers: string[] = [];
  const options: string[] = [];
  let search: readonly string[] = [];
  let domain: string | undefined;
  for (const line of text.split("\n")) {
    const [word = "", ...rest] = line
      .replace(/[#;].*/, "")
      .trim()
      .split(/\s+/);
    if (word === "nameserver") nameservers.push(...rest.slice(0, 1));
    else if (word === "domain") [domain] = rest;
    else if (word === "search") search = rest;
    else if (word === "options") options.push(...rest);
  }
  return {
    ...(nameservers.length > 0 && { nameservers }),
    ...(domain !== undefined && { domain }),
    ...(search.length > 0 && { search }),
    ...(options.length > 0 && { options }),
  };
}

function listOf(value: unknown, what: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new CniError("invalidConfig", `${what} is not a list`);
  return value;
}
