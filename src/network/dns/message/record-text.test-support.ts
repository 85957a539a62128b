import { isIPv4 } from "node:net";
import { formatIp } from "../../../schema/values/ip.ts";
import { recordTypes, typeText } from "./dns-codes.ts";
import type { DnsRecord } from "./dns-message.ts";
import { type DnsName, nameText } from "./dns-name.ts";

/** A record as a line of a zone file, such as `web.example.com. 30 A 10.0.0.1`. */
export const recordText = ({ name, type, ttl, data }: DnsRecord): string =>
  `${nameText(name)} ${ttl} ${typeText(type)} ${dataText(type, Buffer.from(data))}`;

function dataText(type: number, data: Buffer): string {
  const nameAt = (start: number): string => nameText(data.subarray(start).toString("latin1"));
  switch (type) {
    case recordTypes.A:
    case recordTypes.AAAA:
      return addressText(data);
    case recordTypes.CNAME:
    case recordTypes.NS:
    case recordTypes.PTR:
      return nameAt(0);
    case recordTypes.SRV:
      return `${[0, 2, 4].map((at) => data.readUInt16BE(at)).join(" ")} ${nameAt(6)}`;
    case recordTypes.TXT:
      return JSON.stringify(data.subarray(1).toString("latin1"));
    case recordTypes.SOA: {
      const names = data.subarray(0, -20).toString("latin1");
      const end = names.indexOf("\0") + 1;
      const both = [names.slice(0, end), names.slice(end)] as readonly DnsName[];
      const numbers = [0, 4, 8, 12, 16].map((at) => data.readUInt32BE(data.length - 20 + at));
      return [...both.map(nameText), ...numbers].join(" ");
    }
    default:
      return data.toString("hex");
  }
}

function addressText(data: Buffer): string {
  const version = data.length === 4 ? 4 : 6;
  const text = formatIp({ version, bits: BigInt(`0x${data.toString("hex")}`) });
  return isIPv4(text) === (version === 4) ? text : "";
}
