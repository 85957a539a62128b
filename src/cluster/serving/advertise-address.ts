import { hostAddress } from "../../platform/host-address.ts";

/**
 * The address at which members of the cluster reach a server: the one that it listens on. For an unspecified
 * or loopback address, it is an address of the machine that others can reach, if there is one.
 */
export function advertiseAddress(host: string, addressOf = hostAddress): string {
  if (!isAny(host) && !isLoopback(host)) return host;
  const family = host.includes(":") && host !== "::" ? "IPv6" : "IPv4";
  return addressOf(family) ?? (isAny(host) ? loopback : host);
}

/** The address at which clients on this machine reach a server. */
export const localAddress = (host: string): string => (isAny(host) ? loopback : host);

/** Whether it is an unspecified address, which means all addresses. */
export const isAny = (host: string): boolean => host === "0.0.0.0" || host === "::" || host === "";
/** Whether only this machine can reach it. */
export const isLoopback = (host: string): boolean => host === "::1" || host.startsWith("127.");
/** Listening on all IPv6 addresses includes IPv4. */
const loopback = "127.0.0.1";
