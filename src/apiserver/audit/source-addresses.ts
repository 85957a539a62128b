import { formatIp, parseIpSloppy, unmap } from "../../schema/values/ip.ts";
import type { ApiRequest } from "../request/request.ts";

/** The addresses from which a request came: those that proxies name, which may be forged, then that of the connection. */
export function sourceAddresses({
  headers,
  remoteAddress,
}: Pick<ApiRequest, "headers" | "remoteAddress">): string[] {
  const { "x-forwarded-for": forwarded = "", "x-real-ip": real = "" } = headers;
  const found: string[] = [];
  for (const part of forwarded === "" ? [] : forwarded.split(",")) {
    const address = plainAddress(part.trim());
    if (address !== undefined) found.push(address);
  }
  const named = real === "" ? undefined : plainAddress(real);
  if (named !== undefined && !found.includes(named)) found.push(named);
  const remote = plainAddress(remoteAddress);
  if (remote !== undefined && found.at(-1) !== remote) found.push(remote);
  return found;
}

function plainAddress(text: string): string | undefined {
  const address = text === "" ? undefined : parseIpSloppy(text);
  return address && formatIp(unmap(address));
}
