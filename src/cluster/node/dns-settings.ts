import { readFile } from "node:fs/promises";
import type { KubeletConfiguration } from "../../kubelet/config/kubelet-configuration.ts";
import { parseResolvConf } from "../../kubelet/pod/linux/resolv-conf.ts";
import type { NodeDnsOptions } from "../../network/dns/open-dns.ts";

/** How a node serves DNS, by the configuration of its kubelet: pods expect it there. */
export const dnsSettings = ({
  clusterDomain = "",
  clusterDNS = [],
  resolvConf = "/etc/resolv.conf",
}: KubeletConfiguration): Pick<NodeDnsOptions, "domain" | "addresses" | "nameServers"> => ({
  domain: clusterDomain,
  addresses: clusterDNS,
  nameServers: () => nameServersIn(resolvConf),
});

/** The name servers of a resolver file; none without a file. */
export const nameServersIn = async (path: string): Promise<readonly string[]> =>
  path === "" ? [] : parseResolvConf(await readFile(path, "utf8")).servers;
