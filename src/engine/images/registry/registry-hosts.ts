import { readdir, readFile } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { registryHost } from "../reference.ts";
import type { HostTls } from "./http-connections.ts";
import { parseToml, type TomlTable, type TomlValue } from "./parse-toml.ts";

/** A server that has the images of a registry: the registry itself, or a mirror of it. */
export interface RegistryHost {
  /** Where its API begins: `https://registry-1.docker.io/v2`. */
  readonly base: string;
  readonly capabilities: ReadonlySet<Capability>;
  readonly tls?: HostTls | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether it is called without TLS if it does not speak it. */
  readonly hasHttpFallback: boolean;
}

export type Capability = "pull" | "resolve" | "push";

/**
 * The servers of a registry, in the order in which they are tried. Folders hold a folder for each registry
 * with containerd's `hosts.toml`, or with docker's certificates.
 */
export async function registryHosts(
  domain: string,
  folders: readonly string[] = [],
): Promise<readonly RegistryHost[]> {
  for (const folder of folders)
    for (const name of folderNames(domain)) {
      const path = join(folder, name);
      const names = await readdir(path).catch(() => undefined);
      if (names === undefined) continue;
      if (names.includes("hosts.toml")) return readHostsFile(path, domain);
      return [{ ...defaultHost(domain), ...(await dockerCertificates(path, names)) }];
    }
  return [defaultHost(domain)];
}

/** Whether connections to a host stay on this machine. */
const isLoopback = (domain: string): boolean =>
  /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/.test(domain);

/** The names that the folder of a registry may have. */
function folderNames(domain: string): string[] {
  const withPort = /^(.+):(\d+)$/.exec(domain);
  return [...(withPort ? [`${withPort[1]}_${withPort[2]}_`] : []), domain, "_default"];
}

function defaultHost(domain: string): RegistryHost {
  const isLocal = isLoopback(domain);
  return {
    base: `https://${registryHost(domain)}/v2`,
    capabilities: allCapabilities,
    headers: {},
    hasHttpFallback: isLocal,
    ...(isLocal ? { tls: unverified } : {}),
  };
}

const allCapabilities: ReadonlySet<Capability> = new Set(["pull", "resolve", "push"]);
const unverified: HostTls = { skipVerify: true };

async function readHostsFile(folder: string, domain: string): Promise<readonly RegistryHost[]> {
  const path = join(folder, "hosts.toml");
  try {
    const file = parseToml(await readFile(path, "utf8"));
    const hosts: RegistryHost[] = [];
    const mirrors = file.get("host");
    if (mirrors instanceof Map)
      for (const [url, settings] of mirrors as TomlTable)
        if (settings instanceof Map) hosts.push(await toHost(url, settings, folder));
    const server = file.get("server");
    const own =
      typeof server === "string" && server !== ""
        ? await toHost(server, file, folder)
        : { ...defaultHost(domain), ...(await tlsOf(file, folder)) };
    // A server that is listed as a mirror, too, is configured there.
    return hosts.some(({ base }) => base === own.base) ? hosts : [...hosts, own];
  } catch (cause) {
    throw new Error(`invalid ${path}`, { cause });
  }
}

async function toHost(text: string, settings: TomlTable, folder: string): Promise<RegistryHost> {
  const url = new URL(text.includes("://") ? text : `https://${text}`);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw new Error(`unsupported scheme of ${text}`);
  const path = url.pathname.replace(/\/+$/, "");
  const isWhole = settings.get("override_path") === true || path.endsWith("/v2");
  const tls = await tlsOf(settings, folder);
  return {
    base: `${url.protocol}//${url.host}${path}${isWhole ? "" : "/v2"}`,
    capabilities: capabilitiesOf(settings.get("capabilities")),
    headers: headersOf(settings.get("header")),
    hasHttpFallback: false,
    ...tls,
  };
}

function capabilitiesOf(value: TomlValue | undefined): ReadonlySet<Capability> {
  if (value === undefined) return allCapabilities;
  if (!Array.isArray(value)) throw new Error("capabilities are not a list");
  return new Set(
    value.map((name): Capability => {
      if (name === "pull" || name === "resolve" || name === "push") return name;
      throw new Error(`unknown capability ${String(name)}`);
    }),
  );
}

function headersOf(value: TomlValue | undefined): Record<string, string> {
  if (!(value instanceof Map)) return {};
  return Object.fromEntries(
    [...(value as TomlTable)].map(([name, texts]) => [
      name,
      Array.isArray(texts) ? texts.join(", ") : String(texts),
    ]),
  );
}

async function tlsOf(settings: TomlTable, folder: string): Promise<{ tls?: HostTls }> {
  const read = (path: string): Promise<string> =>
    readFile(isAbsolute(path) ? path : join(folder, path), "utf8");
  const ca = textsOf(settings.get("ca"));
  const [client] = clientPairs(settings.get("client"));
  const skipVerify = settings.get("skip_verify") === true;
  if (ca.length === 0 && client === undefined && !skipVerify) return {};
  return {
    tls: {
      skipVerify,
      ...(ca.length === 0 ? {} : { ca: await Promise.all(ca.map(read)) }),
      ...(client === undefined ? {} : { cert: await read(client[0]), key: await read(client[1]) }),
    },
  };
}

const textsOf = (value: TomlValue | undefined): string[] =>
  typeof value === "string"
    ? [value]
    : Array.isArray(value)
      ? value.filter((text) => typeof text === "string")
      : [];

/** `"both.pem"`, `["a.pem", …]` or `[["cert.pem", "key.pem"], …]` */
function clientPairs(value: TomlValue | undefined): (readonly [string, string])[] {
  if (typeof value === "string") return [[value, value]];
  if (!Array.isArray(value)) return [];
  return value.flatMap((pair) => {
    const [cert, key] = textsOf(pair);
    return cert === undefined ? [] : [[cert, key ?? cert] as const];
  });
}

/** `NAME.crt` is an authority of the server; `NAME.cert` and `NAME.key` are ours. */
async function dockerCertificates(
  folder: string,
  names: readonly string[],
): Promise<{ tls?: HostTls }> {
  const read = (name: string): Promise<string> => readFile(join(folder, name), "utf8");
  const ca = await Promise.all(names.filter((name) => name.endsWith(".crt")).map(read));
  const certName = names.find((name) => name.endsWith(".cert"));
  const client =
    certName === undefined
      ? {}
      : { cert: await read(certName), key: await read(certName.replace(/cert$/, "key")) };
  if (ca.length === 0 && certName === undefined) return {};
  return { tls: { ...(ca.length === 0 ? {} : { ca }), ...client } };
}
