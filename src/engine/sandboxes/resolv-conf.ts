import { readFile } from "node:fs/promises";
import type { DnsConfig } from "../../cri/linux-types.ts";

/** The content of a pod's `/etc/resolv.conf`: the node's, if its configuration says nothing. */
export async function resolvConf(dns: DnsConfig | undefined): Promise<string> {
  return dns ? formatDns(dns) : readFile("/etc/resolv.conf", "utf8").catch(() => "");
}

/** A resolver configuration with the lines that a DNS configuration needs. */
export function formatDns({ servers, searches, options }: DnsConfig): string {
  const lines = [
    ...(searches.length > 0 ? [`search ${searches.join(" ")}`] : []),
    ...servers.map((server) => `nameserver ${server}`),
    ...(options.length > 0 ? [`options ${options.join(" ")}`] : []),
  ];
  return lines.map((line) => `${line}\n`).join("");
}
