import { readFile } from "node:fs/promises";
import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";

type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

/** An address at which other machines reach this one; undefined where it is not connected. */
export async function hostAddress(): Promise<string | undefined> {
  const routes = await readFile("/proc/net/route", "utf8").catch(() => "");
  return chooseHostAddress(networkInterfaces(), routes);
}

/**
 * The address of the interface by which a machine reaches others, IPv4 first; of any interface where
 * no route says which. Routes are in the form of Linux's `/proc/net/route`.
 */
export function chooseHostAddress(interfaces: Interfaces, routes: string): string | undefined {
  const names = Object.keys(interfaces);
  const first = defaultInterface(routes);
  const ordered = first === undefined ? names : [first, ...names];
  const addresses = ordered
    .flatMap((name) => interfaces[name] ?? [])
    .filter(({ internal, address }) => !internal && !isLinkLocal(address));
  const found = addresses.find(({ family }) => family === "IPv4") ?? addresses[0];
  return found?.address;
}

const isLinkLocal = (address: string): boolean => /^(169\.254\.|fe[89ab])/i.test(address);

/** The interface of the route to everywhere. */
function defaultInterface(routes: string): string | undefined {
  const rows = routes.split("\n").map((line) => line.trim().split(/\s+/));
  const isDefault = ([, destination, , , , , , mask]: readonly string[]) =>
    destination === "00000000" && mask === "00000000";
  return rows.find(isDefault)?.[0];
}
