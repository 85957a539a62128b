import { recordTypes } from "../message/dns-codes.ts";
import type { DnsQuestion, DnsRecord } from "../message/dns-message.ts";
import { type DnsName, nameOfLabels } from "../message/dns-name.ts";
import { addressRecord, soaRecord } from "../message/make-record.ts";
import type { ClusterRecords } from "./cluster-records.ts";

/** The domain of a cluster. */
export interface ClusterZone {
  /** Its name in lower case, such as `cluster.local`. */
  readonly name: DnsName;
  /** The addresses at which it is served. */
  readonly servers: readonly Uint8Array[];
  /** How many seconds records may be cached, also those that say that a name is absent. */
  readonly ttl: number;
}

/** What a cluster knows of a name. */
export type ClusterAnswer =
  | {
      readonly type: "records";
      readonly answers: readonly DnsRecord[];
      readonly additionals?: readonly DnsRecord[];
    }
  /** The name stands for another one, which is to be resolved, too. */
  | { readonly type: "alias"; readonly answers: readonly DnsRecord[]; readonly target: DnsName }
  /** The name exists, without records of the type. */
  | { readonly type: "no data" }
  | { readonly type: "no name" }
  /** The name is not the cluster's. */
  | { readonly type: "elsewhere" };

/** The record that goes with the absence of others, and says how long it may be cached. */
export const zoneSoa = (records: ClusterRecords, zone: ClusterZone): DnsRecord =>
  soaRecord(zone.name, {
    ...{ ttl: zone.ttl, serial: records.serial },
    server: within(zone, "ns", "dns"),
    mailbox: within(zone, "hostmaster"),
  });

/** A name in the zone; the zone's own if it would be too long. */
export const within = (zone: ClusterZone, ...labels: readonly string[]): DnsName =>
  nameOfLabels(labels, zone.name) ?? zone.name;

/** Records A or AAAA of the addresses that are of the type in question, each once. */
export function addressRecords(
  { name, type }: DnsQuestion,
  addresses: readonly Uint8Array[],
  ttl: number,
): readonly DnsRecord[] {
  const length = type === recordTypes.A ? 4 : type === recordTypes.AAAA ? 16 : 0;
  const found = addresses.filter((address) => address.length === length);
  const unique =
    found.length < 2
      ? found
      : new Map(found.map((address) => [address.join("."), address])).values();
  return Array.from(unique, (address) => addressRecord(name, ttl, address));
}

export const recordsOrNone = (answers: readonly DnsRecord[]): ClusterAnswer =>
  answers.length > 0 ? { type: "records", answers } : { type: "no data" };

export interface Known {
  readonly records: ClusterRecords;
  readonly zone: ClusterZone;
}
