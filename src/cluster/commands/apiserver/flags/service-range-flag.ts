import { defaultServiceRange } from "../../../../apiserver/allocation/service-network.ts";
import {
  type Cidr,
  formatCidr,
  formatIp,
  type Ip,
  masked,
  parseCidrSloppy,
} from "../../../../schema/values/ip.ts";

/** Parses `--service-cluster-ip-range`: the ranges, or the problems in upstream's words. */
export function serviceRanges(text: string): readonly Cidr[] | { readonly problems: string[] } {
  const parts = (text === "" ? defaultServiceRange : text).split(",");
  const cidrs = parts.map(parseCidrSloppy);
  const [first, second] = cidrs;
  if (first === undefined) return { problems: ["service-cluster-ip-range[0] is not a valid cidr"] };
  const problems: string[] = [];
  if (bitsOf(first) - first.prefix < 3)
    problems.push(
      "error determining service IP ranges for primary service cidr: the service cluster IP range must be at least 8 IP addresses",
    );
  if (parts.length > 1 && second === undefined)
    problems.push("service-cluster-ip-range[1] is not an ip net");
  if (parts.length > 2)
    problems.push("--service-cluster-ip-range must not contain more than two entries");
  if (first.ip.version === second?.ip.version)
    problems.push(
      "--service-cluster-ip-range[0] and --service-cluster-ip-range[1] must be of different IP family",
    );
  return problems.length > 0 ? { problems } : [first, ...(second ? [second] : [])];
}

/** The first address of a range, which the service `kubernetes` has. */
export function firstServiceAddress(range: Cidr): string {
  const { ip } = masked(range);
  return formatIp({ ...ip, bits: ip.bits + 1n });
}

/** Services and the server must have the same IP family. */
export function familyProblem(range: Cidr, advertised: Ip): string[] {
  if (range.ip.version === advertised.version) return [];
  return [
    `service IP family "${formatCidr(masked(range))}" must match public address family "${formatIp(advertised)}"`,
  ];
}

const bitsOf = ({ ip }: Cidr): number => (ip.version === 4 ? 32 : 128);
