import { join } from "node:path";
import { CniError } from "../../../cri/cni/cni-error.ts";
import type { CniAddress } from "../../../cri/cni/cni-result.ts";
import { formatIp, type Ip } from "../../../schema/values/ip.ts";
import {
  type CniPlugin,
  type NetworkConfig,
  type PluginCall,
  validAttachments,
} from "../plugin.ts";
import { AddressFiles, owns } from "./address-files.ts";
import {
  candidates,
  formatRange,
  isInRange,
  type RangeAddress,
  type RangeSet,
} from "./ip-range.ts";
import { type IpamConfig, readIpamConfig, requestedAddresses } from "./ipam-config.ts";

/** Assigns addresses of this node's ranges, recorded in files. */
export const hostLocal: CniPlugin = {
  async add(call) {
    const ipam = readIpamConfig(call.config);
    const requested = requestedAddresses(call);
    const ips = AddressFiles.locked(folderOf(call.config, ipam), (files) => {
      const given: Ip[] = [];
      try {
        return allocate(files, { call, sets: ipam.sets, requested, given });
      } catch (error) {
        for (const ip of given) files.remove(ip);
        throw error;
      }
    });
    return { interfaces: [], ips, routes: ipam.routes, dns: ipam.dns };
  },
  async del({ config, containerId, ifName }) {
    const folder = folderOf(config, readIpamConfig(config));
    AddressFiles.locked(folder, (files) =>
      files.release((owner) => owns(owner, containerId, ifName)),
    );
  },
  async check({ config, containerId, ifName }) {
    const folder = folderOf(config, readIpamConfig(config));
    const found = AddressFiles.locked(folder, (files) => files.of(containerId, ifName));
    if (found.length === 0)
      throw new CniError(
        "internal",
        `host-local: Failed to find address added by container ${containerId}`,
      );
  },
  async gc(call) {
    const valid = validAttachments(call);
    if (!valid) return;
    const isValid = new Set(valid.map(({ containerID, ifname }) => `${containerID}/${ifname}`));
    const ids = new Set(valid.map(({ containerID }) => containerID));
    AddressFiles.locked(folderOf(call.config, readIpamConfig(call.config)), (files) =>
      files.release(({ containerId, ifName }) =>
        ifName === undefined ? !ids.has(containerId) : !isValid.has(`${containerId}/${ifName}`),
      ),
    );
  },
  async status({ config }) {
    const ipam = readIpamConfig(config);
    const given = AddressFiles.locked(folderOf(config, ipam), (files) => files.list());
    for (const set of ipam.sets) {
      const used = given.filter(({ ip }) => isInSet(set, ip)).length;
      if (BigInt(used) >= sizeOf(set)) throw new CniError("notAvailable", noneLeft(set));
    }
  },
};

interface Allocation {
  readonly call: PluginCall;
  readonly sets: readonly RangeSet[];
  readonly requested: readonly Ip[];
  /** What was given away so far. */
  readonly given: Ip[];
}

/** One address of each set: the requested one of it, or the next that is free. */
function allocate(files: AddressFiles, allocation: Allocation): readonly CniAddress[] {
  const { call, sets, requested, given } = allocation;
  const { containerId, ifName } = call;
  const owner = { containerId, ifName };
  const before = files.of(containerId, ifName);
  const left = [...requested];
  const ips = sets.map((set, index) => {
    const at = left.findIndex((ip) => isInSet(set, ip));
    const [wanted] = at < 0 ? [] : left.splice(at, 1);
    try {
      const duplicate = before.find((ip) => isInSet(set, ip));
      if (duplicate)
        throw new Error(
          `${formatIp(duplicate)} has been allocated to ${containerId}, duplicate allocation is not allowed`,
        );
      const reserve = (ip: Ip): boolean => files.reserve(ip, owner, index);
      const ip = wanted
        ? reserveRequested(set, wanted, reserve)
        : reserveNext(set, files.last(index), reserve);
      given.push(ip);
      const { version, gateway } = ip;
      return {
        address: `${formatIp(ip)}/${ip.prefix}`,
        gateway: formatIp({ version, bits: gateway }),
      };
    } catch (error) {
      const why = (error as Error).message;
      throw new CniError("internal", `failed to allocate for range ${index}: ${why}`);
    }
  });
  if (left.length > 0)
    throw new CniError(
      "invalidConfig",
      `failed to allocate all requested IPs: ${left.map(formatIp).join(" ")}`,
    );
  return ips;
}

type Reserve = (ip: Ip) => boolean;

function reserveNext(set: RangeSet, last: Ip | undefined, reserve: Reserve): RangeAddress {
  for (const candidate of candidates(set, last)) if (reserve(candidate)) return candidate;
  throw new Error(noneLeft(set));
}

function reserveRequested(set: RangeSet, ip: Ip, reserve: Reserve): RangeAddress {
  const range = set.find((one) => isInRange(one, ip));
  if (!range || ip.bits === range.gateway)
    throw new Error(`requested ip ${formatIp(ip)} is subnet's gateway`);
  if (!reserve(ip))
    throw new Error(
      `requested IP address ${formatIp(ip)} is not available in range set ${set.map(formatRange).join(",")}`,
    );
  return { ...range, bits: ip.bits };
}

const isInSet = (set: RangeSet, ip: Ip): boolean => set.some((range) => isInRange(range, ip));

const folderOf = ({ name }: NetworkConfig, { dataDir }: IpamConfig): string => join(dataDir, name);

const noneLeft = (set: RangeSet): string =>
  `no IP addresses available in range set: ${set.map(formatRange).join(",")}`;

/** How many addresses can be given away. */
function sizeOf(set: RangeSet): bigint {
  return set.reduce((sum, range) => {
    const { start, end, gateway } = range;
    const own = gateway >= start && gateway <= end ? 1n : 0n;
    return sum + end - start + 1n - own;
  }, 0n);
}
