import { isIP } from "node:net";
import { hostPort } from "../../base/network.ts";
import {
  firstServiceAddress,
  serviceRanges,
} from "../commands/apiserver/flags/service-range-flag.ts";
import { advertiseAddress, isAny } from "./advertise-address.ts";
import { isOwn, ownServerName, type ServingOptions } from "./serving.ts";

/** The addresses and names of a server. */
export interface Reached {
  /** The address that it listens on. */
  readonly host: string;
  readonly alsoListen?: readonly string[];
  /** The address that is advertised to members of the cluster, if it differs. */
  readonly advertiseAddress?: string;
  /** The name or address published to external clients, with or without a port. */
  readonly externalHost?: string;
  readonly serviceRange?: string;
  readonly serving?: ServingOptions;
}

/** The names and addresses by which clients reach a server, for its own certificate. */
export function servingNames(reached: Reached): {
  readonly names: readonly string[];
  readonly ips: readonly string[];
} {
  const { host, advertiseAddress: advertised = "", externalHost = "", serving = {} } = reached;
  const ranges = serviceRanges(reached.serviceRange ?? "");
  const [outside = ""] = splitPort(externalHost);
  const isAddress = isIP(outside) !== 0;
  return {
    names: [
      ...(outside === "" || isAddress ? [] : [outside]),
      ...(isOwn(serving) ? [] : [ownServerName]),
    ],
    ips: [
      ...(isAny(host) ? [advertiseAddress(host)] : [host]),
      ...(reached.alsoListen ?? []),
      ...(advertised === "" ? [] : [advertised]),
      ...(isAddress ? [outside] : []),
      ...("problems" in ranges ? [] : ranges.map(firstServiceAddress)),
    ],
  };
}

/** The address of a server that it publishes to clients. */
export function externalAddress(reached: Reached, port: number): string {
  const { host, externalHost = "", advertiseAddress: advertised = "" } = reached;
  const [outside, ownPort] = splitPort(externalHost);
  if (outside !== "") return hostPort(outside, ownPort ?? port);
  return hostPort(advertised || (isAny(host) ? advertiseAddress(host) : host), port);
}

/** Splits a host and an optional port; an IPv6 address without brackets has no port. */
function splitPort(text: string): [host: string, port: number | undefined] {
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(text) ?? [];
  const host = bracketed ?? plain ?? text;
  return [host, port === undefined ? undefined : Number(port)];
}
