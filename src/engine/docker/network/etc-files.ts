/** A line of a hosts file. */
export interface HostLine {
  readonly address: string;
  readonly names: readonly string[];
}

/** The `/etc/hosts` of a container: the loopback names, those that a client adds, and those of its networks. */
export function hostsFile(lines: readonly HostLine[]): string {
  return [
    { address: "127.0.0.1", names: ["localhost"] },
    { address: "::1", names: ["localhost", "ip6-localhost", "ip6-loopback"] },
    { address: "fe00::", names: ["ip6-localnet"] },
    { address: "ff00::", names: ["ip6-mcastprefix"] },
    { address: "ff02::1", names: ["ip6-allnodes"] },
    { address: "ff02::2", names: ["ip6-allrouters"] },
    ...lines,
  ]
    .map(({ address, names }) => `${address}\t${names.join(" ")}\n`)
    .join("");
}

/** Parses `name:address`, whose address may be `host-gateway`. */
export function extraHost(text: string, gateway: string): HostLine {
  const at = text.search(/[:=]/);
  const address = text.slice(at + 1).replaceAll(/[[\]]/g, "");
  return { address: address === "host-gateway" ? gateway : address, names: [text.slice(0, at)] };
}

export interface ResolverSettings {
  readonly servers: readonly string[];
  readonly search: readonly string[];
  readonly options: readonly string[];
}

/**
 * The `/etc/resolv.conf` of a container: the host's, with what a client sets instead. Servers on the host's loopback
 * interface are left out, because a container cannot reach them.
 */
export function resolverFile(host: string, own: ResolverSettings, isHostNetwork: boolean): string {
  const lines = host.split("\n").map((line) => line.trim().split(/\s+/));
  const values = (name: string): string[] =>
    lines.filter(([first]) => first === name).flatMap(([, ...rest]) => rest);
  const reachable = values("nameserver").filter(
    (server) => isHostNetwork || !/^(?:127\.|::1$)/.test(server),
  );
  const servers = own.servers.length > 0 ? own.servers : reachable;
  const search = own.search.length > 0 ? own.search.filter((one) => one !== ".") : values("search");
  const options = own.options.length > 0 ? own.options : values("options");
  return [
    ...servers.map((server) => `nameserver ${server}\n`),
    ...(search.length > 0 ? [`search ${search.join(" ")}\n`] : []),
    ...(options.length > 0 ? [`options ${options.join(" ")}\n`] : []),
  ].join("");
}
