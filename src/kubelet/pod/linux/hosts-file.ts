import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { PodHostname } from "./pod-hostname.ts";

type HostAliases = Pod["spec"]["hostAliases"];

/** The content of `/etc/hosts` of a pod with its own network. */
export function podHostsFile(
  { hostname, domain }: PodHostname,
  addresses: readonly string[],
  aliases: HostAliases = [],
): string {
  const names = domain === "" ? hostname : `${hostname}.${domain}\t${hostname}`;
  const own = addresses.map((address) => `${address}\t${names}\n`);
  return [
    "# Kubernetes-managed hosts file.\n",
    standardEntries,
    ...own,
    aliasEntries(aliases),
  ].join("");
}

/** The content of `/etc/hosts` of a pod on the network of its node, whose file is given. */
export const hostNetworkHostsFile = (ofNode: string, aliases: HostAliases = []): string =>
  `# Kubernetes-managed hosts file (host network).\n${ofNode}${aliasEntries(aliases)}`;

const standardEntries = [
  "127.0.0.1\tlocalhost\n",
  "::1\tlocalhost ip6-localhost ip6-loopback\n",
  "fe00::0\tip6-localnet\n",
  "fe00::0\tip6-mcastprefix\n",
  "fe00::1\tip6-allnodes\n",
  "fe00::2\tip6-allrouters\n",
].join("");

function aliasEntries(aliases: NonNullable<HostAliases>): string {
  if (aliases.length === 0) return "";
  const lines = aliases.map(({ ip, hostnames = [] }) => `${ip}\t${hostnames.join("\t")}\n`);
  return `\n# Entries added by HostAliases.\n${lines.join("")}`;
}
