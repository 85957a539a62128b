import { CniError } from "./cni-error.ts";
import { isAtLeast, isCniVersion } from "./cni-version.ts";

/** What plugins have made of an interface, in the latest version of the specification. */
export interface CniResult {
  readonly interfaces: readonly CniInterface[];
  readonly ips: readonly CniAddress[];
  readonly routes: readonly CniRoute[];
  readonly dns: CniDns;
}

export interface CniInterface {
  readonly name: string;
  readonly mac?: string | undefined;
  readonly mtu?: number | undefined;
  /** The network namespace of the pod; absent for interfaces of the node. */
  readonly sandbox?: string | undefined;
}

export interface CniAddress {
  /** With the length of its network's prefix. */
  readonly address: string;
  readonly gateway?: string | undefined;
  /** The index of its interface. */
  readonly interface?: number | undefined;
}

export interface CniRoute {
  readonly dst: string;
  readonly gw?: string | undefined;
  readonly mtu?: number | undefined;
  readonly advmss?: number | undefined;
  readonly priority?: number | undefined;
  readonly table?: number | undefined;
  readonly scope?: number | undefined;
}

export interface CniDns {
  readonly nameservers?: readonly string[] | undefined;
  readonly domain?: string | undefined;
  readonly search?: readonly string[] | undefined;
  readonly options?: readonly string[] | undefined;
}

/** Reads a result in the version that it names, or else in that of the configuration. Throws if it has none. */
export function readResult(value: unknown, configVersion: string): CniResult {
  if (!isObject(value)) throw invalid("it is not an object");
  const { cniVersion = configVersion } = value;
  // Plugins that end a chain of old versions leave it empty.
  const version = cniVersion === "" ? configVersion : cniVersion;
  if (typeof version !== "string" || !isCniVersion(version))
    throw new CniError("incompatibleVersion", `unsupported CNI result version ${quote(version)}`);
  const dns = isObject(value.dns) ? (value.dns as CniDns) : {};
  if (!isAtLeast(version, "0.3.0")) return { ...readOldest(value), interfaces: [], dns };
  return {
    interfaces: listOf(value.interfaces, "interfaces").map(readInterface),
    ips: listOf(value.ips, "ips").map(readAddress),
    routes: listOf(value.routes, "routes").map(readRoute),
    dns,
  };
}

/** Writes a result as a version has it. Throws if it cannot say it. */
export function writeResult(result: CniResult, version: string): object {
  const { interfaces, ips, routes, dns } = result;
  if (!isAtLeast(version, "0.3.0"))
    return { cniVersion: version, ...writeOldest(result), ...(!isEmpty(dns) && { dns }) };
  const hasFamily = !isAtLeast(version, "1.0.0");
  const withFamily = ips.map((one) => ({ version: isIpv6(one.address) ? "6" : "4", ...one }));
  return {
    cniVersion: version,
    ...(interfaces.length > 0 && { interfaces }),
    ...(ips.length > 0 && { ips: hasFamily ? withFamily : ips }),
    ...(routes.length > 0 && { routes }),
    dns,
  };
}

export const emptyResult: CniResult = { interfaces: [], ips: [], routes: [], dns: {} };

/** The addresses of one interface of a pod, those of IPv4 first. */
export function addressesOf({ ips, interfaces }: CniResult, name: string): readonly string[] {
  const own = ips.filter((one) => {
    if (one.interface === undefined) return true;
    const found = interfaces[one.interface];
    return found !== undefined && (found.sandbox ?? "") !== "" && found.name === name;
  });
  const addresses = own.map(({ address }) => address.split("/", 1)[0] ?? address);
  return [...addresses.filter((one) => !isIpv6(one)), ...addresses.filter(isIpv6)];
}

const isIpv6 = (address: string): boolean => address.includes(":");

/** One address for each family, each with its routes. */
function readOldest(value: Readonly<Record<string, unknown>>): Pick<CniResult, "ips" | "routes"> {
  const families = [value.ip4, value.ip6].filter(isObject);
  return {
    ips: families.map(({ ip, gateway }) => readAddress({ address: ip, gateway })),
    routes: families.flatMap((one) => listOf(one.routes, "routes").map(readRoute)),
  };
}

function writeOldest({ ips, routes }: CniResult): object {
  const family = (isOne: (text: string) => boolean): object | undefined => {
    const first = ips.find(({ address }) => isOne(address));
    if (!first) return undefined;
    const own = routes
      .filter(({ dst }) => isOne(dst))
      .map(({ dst, gw }) => ({ dst, ...(gw !== undefined && { gw }) }));
    const { address: ip, gateway } = first;
    return {
      ip,
      ...(gateway !== undefined && { gateway }),
      ...(own.length > 0 && { routes: own }),
    };
  };
  const ip4 = family((text) => !isIpv6(text));
  const ip6 = family(isIpv6);
  if (!ip4 && !ip6) throw invalid("cannot convert: no valid IP addresses");
  return { ...(ip4 && { ip4 }), ...(ip6 && { ip6 }) };
}

function readInterface(value: unknown): CniInterface {
  if (!isObject(value) || typeof value.name !== "string") throw invalid("an interface has no name");
  return value as unknown as CniInterface;
}

function readAddress(value: unknown): CniAddress {
  if (!isObject(value) || typeof value.address !== "string" || !value.address.includes("/"))
    throw invalid("an address is not one with the length of its prefix");
  const { address, gateway, interface: index } = value;
  return {
    address,
    ...(typeof gateway === "string" && gateway !== "" && { gateway }),
    ...(typeof index === "number" && { interface: index }),
  };
}

function readRoute(value: unknown): CniRoute {
  if (!isObject(value) || typeof value.dst !== "string") throw invalid("a route has no dst");
  return value as unknown as CniRoute;
}

function listOf(value: unknown, what: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalid(`${what} is not a list`);
  return value;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isEmpty = (value: object): boolean => Object.keys(value).length === 0;
const quote = (value: unknown): string => JSON.stringify(value) ?? "";
const invalid = (why: string): CniError => new CniError("decodingFailure", "invalid result", why);
