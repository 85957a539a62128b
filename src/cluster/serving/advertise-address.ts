import { hostAddress } from "../../platform/host-address.ts";

/**
 * Where members of the cluster find a server: under the address that it listens on, or where that
 * is any or the machine's own, under one at which others reach the machine; without one it stays as it
 * is.
 */
export function advertiseAddress(host: string, addressOf = hostAddress): string {
  if (!isAny(host) && !isLoopback(host)) return host;
  const family = host.includes(":") && host !== "::" ? "IPv6" : "IPv4";
  return addressOf(family) ?? (isAny(host) ? loopback : host);
}

/** Where a client on this machine reaches a server that listens on an address. */
export const localAddress = (host: string): string => (isAny(host) ? loopback : host);

/** Whether it stands for all addresses. */
export const isAny = (host: string): boolean => host === "0.0.0.0" || host === "::" || host === "";
/** Whether nobody but this machine reaches it. */
export const isLoopback = (host: string): boolean => host === "::1" || host.startsWith("127.");
/** All of IPv6 includes IPv4. */
const loopback = "127.0.0.1";
