import { BlockList, isIP } from "node:net";

/** The proxy for a server; undefined: none. */
export type ProxyChoice = (server: URL) => URL | undefined;

/** The URL of a kubeconfig's proxy; throws client-go's error for an invalid one. */
export function parseProxyUrl(text: string): URL {
  const [, scheme = ""] = /^([a-z][a-z0-9+.-]*):/i.exec(text) ?? [];
  if (!schemes.has(scheme.toLowerCase()))
    throw new Error(
      `unsupported scheme ${JSON.stringify(scheme.toLowerCase())}, must be http, https, or socks5`,
    );
  if (!URL.canParse(text)) throw new Error(`could not parse: ${text}`);
  return new URL(text);
}

/** The proxies of HTTPS_PROXY, HTTP_PROXY and NO_PROXY, as Go reads them. */
export function proxyFromEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): ProxyChoice {
  const proxies: Readonly<Record<string, URL | undefined>> = {
    "https:": proxyUrl(env.HTTPS_PROXY || env.https_proxy),
    "http:": proxyUrl(env.HTTP_PROXY || env.http_proxy),
  };
  const isExempt = exemptions(env.NO_PROXY || env.no_proxy || "");
  return (server) => {
    const proxy = proxies[server.protocol];
    if (!proxy || isLocal(hostOf(server)) || isExempt(hostOf(server), portOf(server)))
      return undefined;
    // In a CGI program, a client's `Proxy` header would set this variable.
    if (server.protocol === "http:" && env.REQUEST_METHOD)
      throw new Error(
        "refusing to use HTTP_PROXY value in CGI environment; see golang.org/s/cgihttpproxy",
      );
    return proxy;
  };
}

/** The host of a URL; an IPv6 address without its brackets. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, "$1");

/** The port of a URL, explicit or default. */
export const portOf = ({ protocol, port }: URL): number => Number(port || usualPorts[protocol]);

const schemes: ReadonlySet<string> = new Set(["http", "https", "socks5"]);

const usualPorts: Readonly<Record<string, string>> = {
  "http:": "80",
  "https:": "443",
  "socks5:": "1080",
};

/** A text without a proxy scheme is a host. */
function proxyUrl(text: string | undefined): URL | undefined {
  if (!text) return undefined;
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase();
  const whole = scheme !== undefined && schemes.has(scheme) ? text : `http://${text}`;
  return URL.canParse(whole) ? new URL(whole) : undefined;
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

const isLocal = (host: string): boolean =>
  host === "localhost" || (isIP(host) !== 0 && loopback.check(host, familyOf(host)));

const familyOf = (address: string): "ipv4" | "ipv6" => (isIP(address) === 6 ? "ipv6" : "ipv4");

type Exemption = (host: string, port: number) => boolean;

function exemptions(list: string): Exemption {
  const rules: Exemption[] = [];
  for (const entry of list.split(",").map((part) => part.trim().toLowerCase())) {
    if (entry === "*") return () => true;
    const rule = entry === "" ? undefined : exemption(entry);
    if (rule) rules.push(rule);
  }
  return (host, port) => rules.some((rule) => rule(host.toLowerCase(), port));
}

function exemption(entry: string): Exemption | undefined {
  const range = addressRange(entry);
  if (range) return (host) => isIP(host) !== 0 && range.check(host, familyOf(host));
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:]*)):(\d*)$/.exec(entry) ?? [];
  const name = bracketed ?? plain ?? entry;
  if (name === "") return undefined;
  const isPort = (actual: number): boolean => !port || Number(port) === actual;
  if (isIP(name) !== 0) {
    const one = new BlockList();
    one.addAddress(name, familyOf(name));
    return (host, actual) => isIP(host) !== 0 && one.check(host, familyOf(host)) && isPort(actual);
  }
  // `.example.com` and `*.example.com` match subdomains; `example.com` matches that name, too.
  const below = name.replace(/^\*?(?=\.)/, "").replace(/^(?=[^.])/, ".");
  const isItself = !/^\*?\./.test(name);
  return (host, actual) =>
    (host.endsWith(below) || (isItself && host === below.slice(1))) && isPort(actual);
}

function addressRange(entry: string): BlockList | undefined {
  const [address = "", prefix = ""] = entry.split("/");
  const longest = isIP(address) === 6 ? 128 : 32;
  if (isIP(address) === 0 || !/^\d+$/.test(prefix) || Number(prefix) > longest) return undefined;
  const list = new BlockList();
  list.addSubnet(address, Number(prefix), familyOf(address));
  return list;
}
