import { isIP } from "node:net";

/** The variables of an environment that name proxies, in either case. */
export type ProxyEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for an address by HTTPS_PROXY, HTTP_PROXY and NO_PROXY, with the rules that Go programs such as docker
 * and containerd have: this machine is never reached through one.
 */
export function proxyFor(url: URL, env: ProxyEnvironment): URL | undefined {
  const name = url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const text = variable(env, name);
  const host = url.hostname.replaceAll(/[[\]]/g, "").toLowerCase();
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  if (text === "" || isLocal(host) || isExcluded(host, port, variable(env, "NO_PROXY")))
    return undefined;
  const address = text.includes("://") ? text : `http://${text}`;
  const proxy = URL.canParse(address) ? new URL(address) : undefined;
  if (proxy?.protocol !== "http:" && proxy?.protocol !== "https:")
    throw new Error(`invalid proxy address in ${name}`);
  return proxy;
}

const variable = (env: ProxyEnvironment, name: string): string =>
  env[name] || env[name.toLowerCase()] || "";

const isLocal = (host: string): boolean =>
  host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));

/** `*`, `example.com` (with all below it), `.example.com` (only those), `10.0.0.0/8`, each with a port or without. */
function isExcluded(host: string, port: string, list: string): boolean {
  return list
    .split(",")
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== "")
    .some((entry) => {
      if (entry === "*") return true;
      if (entry.includes("/")) return isInNetwork(host, entry);
      const [, name = entry, wantedPort] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
      if (isIP(entry) === 0 && wantedPort !== undefined && wantedPort !== port) return false;
      const pattern = isIP(entry) === 0 ? name.replace(/^\*(?=\.)/, "") : entry;
      if (pattern.startsWith(".")) return host.endsWith(pattern);
      return host === pattern || (isIP(host) === 0 && host.endsWith(`.${pattern}`));
    });
}

/** Whether an IPv4 address is in a network such as `10.0.0.0/8`. */
function isInNetwork(host: string, network: string): boolean {
  const [address = "", bits = ""] = network.split("/");
  if (isIP(host) !== 4 || isIP(address) !== 4 || !/^\d{1,2}$/.test(bits)) return false;
  const size = 2 ** (32 - Number(bits));
  return Math.floor(toNumber(host) / size) === Math.floor(toNumber(address) / size);
}

const toNumber = (address: string): number =>
  address.split(".").reduce((number, part) => number * 256 + Number(part), 0);
