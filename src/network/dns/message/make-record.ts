import { parseIp } from "../../../schema/values/ip.ts";
import { internetClass, recordTypes } from "./dns-codes.ts";
import type { DnsRecord } from "./dns-message.ts";
import type { DnsName } from "./dns-name.ts";

const record = (name: DnsName, type: number, ttl: number, data: Uint8Array): DnsRecord => ({
  ...{ name, type, class: internetClass, ttl, data },
});

/** The bytes of an address: 4 or 16; undefined if the text is not an address. */
export function addressBytes(text: string): Uint8Array | undefined {
  const ip = parseIp(text);
  if (!ip) return undefined;
  const digits = ip.bits.toString(16).padStart(ip.version === 4 ? 8 : 32, "0");
  return Buffer.from(digits, "hex");
}

/** A record A or AAAA, by the length of the address. */
export const addressRecord = (name: DnsName, ttl: number, address: Uint8Array): DnsRecord =>
  record(name, address.length === 4 ? recordTypes.A : recordTypes.AAAA, ttl, address);

/** A record whose data is a name: CNAME, NS or PTR. */
export const nameRecord = (
  name: DnsName,
  { type, ttl, target }: { readonly type: number; readonly ttl: number; readonly target: DnsName },
): DnsRecord => record(name, type, ttl, Buffer.from(target, "latin1"));

export interface Srv {
  readonly ttl: number;
  readonly weight: number;
  readonly port: number;
  readonly target: DnsName;
}

/** A record SRV of priority 0. */
export const srvRecord = (name: DnsName, { ttl, weight, port, target }: Srv): DnsRecord =>
  record(
    name,
    recordTypes.SRV,
    ttl,
    Buffer.concat([
      Uint8Array.of(0, 0, weight >> 8, weight & 255, port >> 8, port & 255),
      Buffer.from(target, "latin1"),
    ]),
  );

/** A record TXT of one text of at most 255 bytes. */
export const txtRecord = (name: DnsName, ttl: number, text: string): DnsRecord =>
  record(
    name,
    recordTypes.TXT,
    ttl,
    Buffer.from(String.fromCharCode(text.length) + text, "latin1"),
  );

export interface Soa {
  readonly ttl: number;
  readonly server: DnsName;
  readonly mailbox: DnsName;
  readonly serial: number;
}

/** A record SOA. Nobody transfers the zone, so its intervals are only customary; absent names are cached for `ttl`. */
export function soaRecord(name: DnsName, { ttl, server, mailbox, serial }: Soa): DnsRecord {
  const numbers = Buffer.alloc(20);
  for (const [i, value] of [serial, 7200, 1800, 86_400, ttl].entries())
    numbers.writeUInt32BE(value, i * 4);
  const data = Buffer.concat([Buffer.from(server + mailbox, "latin1"), numbers]);
  return record(name, recordTypes.SOA, ttl, data);
}
