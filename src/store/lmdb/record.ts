import { crc32 } from "node:zlib";
import { StoreError } from "../store.ts";

/**
 * One change of one key, as it is kept on disk under its revision and ordinal:
 *
 *     key    revision 6 bytes | ordinal within the commit 2 bytes
 *     value  checksum 4 | type 1 | create revision 6 | version 4 | expires at 6 (0: never)
 *            | key length 2 | key | value
 *
 * Numbers are big-endian, so that records are in the order of their commits. The checksum is of all
 * the rest: LMDB has none of its own.
 */
export interface RecordHeader {
  readonly revision: number;
  readonly ordinal: number;
  readonly type: "put" | "delete";
  readonly key: string;
  readonly createRevision: number;
  readonly version: number;
  /** Milliseconds since the epoch; 0 for never. */
  readonly expiresAt: number;
}

/** The key of a record. */
export type RecordId = Pick<RecordHeader, "revision" | "ordinal">;

/** A record as LMDB stores it. */
export interface EncodedRecord {
  readonly id: Buffer;
  readonly record: Buffer;
}

const headerBytes = 23;
const types = ["", "put", "delete"] as const;

export function encodeId({ revision, ordinal }: RecordId): Buffer {
  const id = Buffer.allocUnsafe(8);
  id.writeUIntBE(revision, 0, 6);
  id.writeUInt16BE(ordinal, 6);
  return id;
}

export function encodeRecord(header: RecordHeader, value: Uint8Array): EncodedRecord {
  const id = encodeId(header);
  const keyBytes = Buffer.byteLength(header.key);
  const record = Buffer.allocUnsafe(headerBytes + keyBytes + value.length);
  record[4] = types.indexOf(header.type);
  record.writeUIntBE(header.createRevision, 5, 6);
  record.writeUInt32BE(header.version, 11);
  record.writeUIntBE(Math.ceil(header.expiresAt), 15, 6);
  record.writeUInt16BE(keyBytes, 21);
  record.write(header.key, headerBytes);
  record.set(value, headerBytes + keyBytes);
  record.writeUInt32BE(checksum(id, record), 0);
  return { id, record };
}

export function decodeHeader(id: Buffer, record: Buffer): RecordHeader {
  check(id, record);
  return {
    revision: readUInt48(id, 0),
    ordinal: id.readUInt16BE(6),
    type: typeOf(id, record),
    key: record.toString("utf8", headerBytes, valueStart(record)),
    createRevision: readUInt48(record, 5),
    version: record.readUInt32BE(11),
    expiresAt: readUInt48(record, 15),
  };
}

/** Returns a copy of the value. */
export function decodeValue(id: Buffer, record: Buffer): Uint8Array {
  check(id, record);
  return new Uint8Array(record.subarray(valueStart(record), record.length));
}

/** Returns the length of the value. */
export function valueLength(record: Buffer): number {
  return record.length - valueStart(record);
}

function check(id: Buffer, record: Buffer): void {
  const whole = id.length === 8 && record.length >= headerBytes;
  if (whole && record.readUInt32BE(0) === checksum(id, record)) return;
  throw new StoreError("Corrupt", `the record ${id.toString("hex")} is damaged`);
}

function typeOf(id: Buffer, record: Buffer): "put" | "delete" {
  const type = types[record[4] ?? 0];
  if (type) return type;
  throw new StoreError("Corrupt", `the record ${id.toString("hex")} is of an unknown type`);
}

/** Respect the record's length: lmdb returns a longer buffer and sets its length. */
function checksum(id: Buffer, record: Buffer): number {
  return crc32(record.subarray(4, record.length), crc32(id));
}

/** `readUIntBE` for six bytes, but several times faster: opening a store calls it for every record. */
function readUInt48(buffer: Buffer, offset: number): number {
  return buffer.readUInt16BE(offset) * 2 ** 32 + buffer.readUInt32BE(offset + 2);
}

function valueStart(record: Buffer): number {
  return headerBytes + record.readUInt16BE(21);
}
