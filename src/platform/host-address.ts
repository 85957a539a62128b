import { readFileSync } from "node:fs";
import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";

type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;
export type IpFamily = "IPv4" | "IPv6";

/** An address at which other machines can reach this one; undefined if it has no network. */
export function hostAddress(family: IpFamily = "IPv4"): string | undefined {
  return chooseHostAddress(networkInterfaces(), readRoutes(), family);
}

/** Empty on systems without this file. */
function readRoutes(): string {
  try {
    return readFileSync("/proc/net/route", "utf8");
  } catch {
    return "";
  }
}

/**
 * The address of the interface with the default route, preferably of the given family; of any interface
 * if there is no default route. Routes have the format of Linux's `/proc/net/route`.
 */
export function chooseHostAddress(
  interfaces: Interfaces,
  routes: string,
  family: IpFamily = "IPv4",
): string | undefined {
  const names = Object.keys(interfaces);
  const first = defaultInterface(routes);
  const ordered = first === undefined ? names : [first, ...names];
  const addresses = ordered
    .flatMap((name) => interfaces[name] ?? [])
    .filter(({ internal, address }) => !internal && !isLinkLocal(address));
  const found = addresses.find((address) => address.family === family) ?? addresses[0];
  return found?.address;
}

const isLinkLocal = (address: string): boolean => /^(169\.254\.|fe[89ab])/i.test(address);

/** The interface of the default route. */
function defaultInterface(routes: string): string | undefined {
  const rows = routes.split("\n").map((line) => line.trim().split(/\s+/));
  const isDefault = ([, destination, , , , , , mask]: readonly string[]) =>
    destination === "00000000" && mask === "00000000";
  return rows.find(isDefault)?.[0];
}
