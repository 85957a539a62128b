import { headerBytes } from "./decode-message.ts";
import { recordTypes } from "./dns-codes.ts";
import type { DnsMessage, DnsRecord } from "./dns-message.ts";
import { type DnsName, rootName } from "./dns-name.ts";

/** The most that a message can have, over TCP. */
const longestMessage = 65_535;

/**
 * Encodes a message of at most `limit` bytes. Answers and authorities that do not fit are left out, and the message
 * says that it is truncated; additional records are left out without a word. Names of records are compressed, with
 * the case of their letters kept.
 */
export function encodeMessage(message: DnsMessage, limit = longestMessage): Buffer {
  const { questions, answers, authorities, additionals, edns } = message;
  const writer = new Writer(limit - (edns ? optionBytes : 0));
  for (const { name, type, class: ofClass } of questions) writer.question(name, type, ofClass);
  const answered = writer.records(answers);
  const authorized = answered < answers.length ? 0 : writer.records(authorities);
  const isWhole = answered === answers.length && authorized === authorities.length;
  const added = isWhole ? writer.records(additionals) : 0;
  if (edns)
    writer.option({
      name: rootName,
      type: recordTypes.OPT,
      class: edns.size,
      ttl: (message.code >> 4) * 0x1000000 + edns.version * 0x10000 + (edns.dnssecOk ? 0x8000 : 0),
      data: new Uint8Array(),
    });
  const flags =
    bit(15, message.isResponse) |
    (message.opcode << 11) |
    bit(10, message.isAuthoritative) |
    bit(9, message.isTruncated || !isWhole) |
    bit(8, message.recursionDesired) |
    bit(7, message.recursionAvailable) |
    bit(5, message.authenticData) |
    bit(4, message.checkingDisabled) |
    (message.code & 15);
  return writer.end([
    ...[message.id, flags, questions.length],
    ...[answered, authorized, added + (edns ? 1 : 0)],
  ]);
}

const bit = (at: number, isSet: boolean): number => (isSet ? 1 << at : 0);

/** The size of what EDNS adds to a message. */
const optionBytes = 11;
/** A pointer has 14 bits. */
const furthestTarget = 0x3fff;

/** Used by one message at a time. */
const room = Buffer.allocUnsafe(longestMessage);

class Writer {
  #at = headerBytes;
  readonly #limit: number;
  /** Where names are, and the ends of names. */
  readonly #targets = new Map<DnsName, number>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  question(name: DnsName, type: number, ofClass: number): void {
    this.#name(name);
    this.#at = room.writeUInt16BE(type, this.#at);
    this.#at = room.writeUInt16BE(ofClass, this.#at);
  }

  /** Writes records until one does not fit; returns how many it has written. */
  records(records: readonly DnsRecord[]): number {
    let count = 0;
    for (const record of records) {
      if (!this.#record(record)) break;
      count++;
    }
    return count;
  }

  /** Writes the record for which there is always space. */
  option(record: DnsRecord): void {
    this.#fixed(record, this.#at + 1);
    room[this.#at] = 0;
    this.#at += optionBytes;
  }

  end(header: readonly number[]): Buffer {
    for (const [i, value] of header.entries()) room.writeUInt16BE(value, i * 2);
    return Buffer.from(room.subarray(0, this.#at));
  }

  #record(record: DnsRecord): boolean {
    const { name, data } = record;
    const start = this.#at;
    // Without compression it fits, or the space is measured by trying.
    if (start + 2 + 10 + data.length > this.#limit) return false;
    const known = this.#targets.get(name);
    if (known === undefined && start + name.length + 10 + data.length > this.#limit) return false;
    this.#name(name);
    this.#at = this.#fixed(record, this.#at);
    room.set(data, this.#at);
    this.#at += data.length;
    return true;
  }

  #fixed({ type, class: ofClass, ttl, data }: DnsRecord, at: number): number {
    room.writeUInt16BE(type, at);
    room.writeUInt16BE(ofClass, at + 2);
    room.writeUInt32BE(ttl, at + 4);
    return room.writeUInt16BE(data.length, at + 8);
  }

  #name(name: DnsName): void {
    for (let start = 0; start < name.length - 1; ) {
      const rest = start === 0 ? name : name.slice(start);
      const target = this.#targets.get(rest);
      if (target !== undefined) {
        this.#at = room.writeUInt16BE(0xc000 | target, this.#at);
        return;
      }
      if (this.#at <= furthestTarget) this.#targets.set(rest, this.#at);
      const next = start + 1 + name.charCodeAt(start);
      this.#at += room.write(name.slice(start, next), this.#at, "latin1");
      start = next;
    }
    room[this.#at++] = 0;
  }
}
