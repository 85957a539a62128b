import { isIP } from "node:net";
import { hostPort } from "../../base/network.ts";
import {
  firstServiceAddress,
  serviceRanges,
} from "../commands/apiserver/flags/service-range-flag.ts";
import { advertiseAddress, isAny } from "./advertise-address.ts";
import { isOwn, ownServerName, type ServingOptions } from "./serving.ts";

/** What is known of how a server is reached. */
export interface Reached {
  /** The address that it listens on. */
  readonly host: string;
  /** The address that is advertised to members of the cluster, if it is another. */
  readonly advertiseAddress?: string;
  /** The name or address that is published to clients outside, with a port or without. */
  readonly externalHost?: string;
  readonly serviceRange?: string;
  readonly serving?: ServingOptions;
}

/** By what names and addresses clients may reach a server: what its own certificate must say. */
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
      ...(advertised === "" ? [] : [advertised]),
      ...(isAddress ? [outside] : []),
      ...("problems" in ranges ? [] : ranges.map(firstServiceAddress)),
    ],
  };
}

/** Where clients find a server, as it says itself. */
export function externalAddress(reached: Reached, port: number): string {
  const { host, externalHost = "", advertiseAddress: advertised = "" } = reached;
  const [outside, ownPort] = splitPort(externalHost);
  if (outside !== "") return hostPort(outside, ownPort ?? port);
  return hostPort(advertised || (isAny(host) ? advertiseAddress(host) : host), port);
}

/** A host, and a port if there is one; an IPv6 address without brackets has none. */
function splitPort(text: string): [host: string, port: number | undefined] {
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(text) ?? [];
  const host = bracketed ?? plain ?? text;
  return [host, port === undefined ? undefined : Number(port)];
}
