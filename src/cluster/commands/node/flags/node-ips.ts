import { formatIp, parseIpSloppy } from "../../../../schema/values/ip.ts";

/** The addresses of a node, as its flag names them. */
export interface NodeIps {
  /** In canonical form; one, or one of each family. */
  readonly ips: readonly string[];
  /** What is no address, and is ignored. */
  readonly invalid: readonly string[];
  readonly problem?: string | undefined;
}

/** Reads the value of `--node-ip`: addresses separated by commas. */
export function readNodeIps(text: string): NodeIps {
  const given = text === "" ? [] : text.split(",").map((one) => one.trim());
  const parsed = given.map((one) => ({ one, ip: parseIpSloppy(one) }));
  const invalid = parsed.flatMap(({ one, ip }) => (ip ? [] : [one]));
  const found = parsed.flatMap(({ ip }) => (ip ? [ip] : []));
  const ips = found.map(formatIp);
  const isPair = found.length === 2 && found[0]?.version !== found[1]?.version;
  if (found.length > 1 && !isPair)
    return { ips, invalid, problem: "must contain either a single IP or a dual-stack pair of IPs" };
  if (isPair && ips.some(isUnspecified))
    return { ips, invalid, problem: "dual-stack node IP cannot include '0.0.0.0' or '::'" };
  return { ips, invalid };
}

/** Whether an address only chooses a family. */
export const isUnspecified = (ip: string): boolean => ip === "0.0.0.0" || ip === "::";
