import type { DnsName } from "./dns-name.ts";

/** A record. Names in its data are not compressed. */
export interface DnsRecord {
  readonly name: DnsName;
  readonly type: number;
  readonly class: number;
  /** Seconds. */
  readonly ttl: number;
  readonly data: Uint8Array;
}

export interface DnsQuestion {
  readonly name: DnsName;
  readonly type: number;
  readonly class: number;
}

/** What a sender of a message says of itself (EDNS). */
export interface Edns {
  /** The largest message that it takes over UDP. */
  readonly size: number;
  readonly version: number;
  /** Whether it wants the records of DNSSEC. */
  readonly dnssecOk: boolean;
}

export interface DnsMessage {
  readonly id: number;
  readonly isResponse: boolean;
  readonly opcode: number;
  readonly isAuthoritative: boolean;
  readonly isTruncated: boolean;
  readonly recursionDesired: boolean;
  readonly recursionAvailable: boolean;
  readonly authenticData: boolean;
  readonly checkingDisabled: boolean;
  /** With the upper bits that EDNS has. */
  readonly code: number;
  readonly questions: readonly DnsQuestion[];
  readonly answers: readonly DnsRecord[];
  readonly authorities: readonly DnsRecord[];
  readonly additionals: readonly DnsRecord[];
  readonly edns?: Edns | undefined;
}
