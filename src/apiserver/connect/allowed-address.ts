import { badRequest } from "../../api/meta/v1/status-error.ts";
import { type Ip, parseIpSloppy, unmap } from "../../schema/values/ip.ts";

/** Throws for addresses that requests must not be proxied to: loopback and link-local ones. */
export function allowedAddress(text: string): void {
  const ip = parseIpSloppy(text.replace(/%.*$/, ""));
  if (!ip || !isGlobalUnicast(unmap(ip))) throw badRequest("address not allowed");
}

/** As Go has it, private networks are global. */
function isGlobalUnicast({ version, bits }: Ip): boolean {
  if (version === 4) {
    const first = bits >> 24n;
    const isMulticast = bits >> 28n === 0xen;
    const isLinkLocal = bits >> 16n === 0xa9fen;
    return bits !== 0n && bits !== 0xffffffffn && first !== 127n && !isMulticast && !isLinkLocal;
  }
  const isMulticast = bits >> 120n === 0xffn;
  const isLinkLocal = bits >> 118n === 0x3fan;
  return bits > 1n && !isMulticast && !isLinkLocal;
}
