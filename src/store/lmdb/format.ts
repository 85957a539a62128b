import { StoreError } from "../store.ts";
import type { Database } from "./database.ts";
import { encodeId } from "./record.ts";

/** A version of the layout, and the upgrades from older ones. */
export interface Format {
  /** A higher number is a newer layout. */
  readonly version: number;
  /** By the version they start from: each upgrades a store to the next version. */
  readonly upgrades: ReadonlyMap<number, Upgrade>;
}

/**
 * Rewrites everything whose layout differs in the next version. It runs within a transaction and uses
 * `db`; an error rolls everything back. The caller updates the version in the mark.
 */
export type Upgrade = (db: Database) => void;

/** The format that this version of Wherry reads and writes. */
export const currentFormat: Format = { version: 1, upgrades: new Map() };

/** The record that identifies a database: a line with its version, and data of that version. */
export const markId: Buffer = encodeId({ revision: 0, ordinal: 0 });

/** Encodes the mark of a store whose superseded records may be missing up to a revision. */
export function encodeMark(version: number, compacted: number): Buffer {
  const line = lineOf(version);
  const mark = Buffer.alloc(line.length + 6);
  mark.write(line);
  mark.writeUIntBE(compacted, line.length, 6);
  return mark;
}

/** Decodes the revision in a mark of the given version; undefined if it is not one. */
export function readMark(mark: Buffer | undefined, version: number): number | undefined {
  const line = lineOf(version);
  if (mark?.length !== line.length + 6) return undefined;
  if (mark.toString("latin1", 0, line.length) !== line) return undefined;
  return mark.readUIntBE(line.length, 6);
}

/**
 * Upgrades a store to this version, step by step in one transaction: after a crash, the old one is
 * unchanged. Throws if it is not a store or its version is not supported.
 */
export function upgrade(db: Database, path: string, format: Format): void {
  const from = versionIn(db, path, format);
  if (from === format.version) return;
  const steps = stepsFrom(from, format);
  if (steps === undefined) throw tooOld(path, from, format);
  db.transactionSync(() => {
    for (const [version, step] of steps) {
      step(db);
      const mark = db.getBinaryFast(markId) ?? Buffer.alloc(0);
      const rest = mark.subarray(lineOf(version).length, mark.length);
      void db.put(markId, Buffer.concat([Buffer.from(lineOf(version + 1)), rest]));
    }
  });
}

/** Throws unless a read-only store has this version. */
export function checkFormat(db: Database, path: string, format: Format): void {
  const version = versionIn(db, path, format);
  if (version === format.version) return;
  const message = `${path} was written by an older version of Wherry (format ${version}, and this one reads ${format.version}): start a server on it once, which upgrades it`;
  throw new StoreError("Corrupt", message);
}

/** The version of a store; throws if it is not a store, or newer than this version of Wherry. */
function versionIn(db: Database, path: string, format: Format): number {
  const mark = db.getBinaryFast(markId);
  const text = /^wherry store (\d+)\n/.exec(mark?.toString("latin1") ?? "")?.[1];
  const version = Number(text);
  if (text !== undefined && version < format.version) return version;
  if (readMark(mark, format.version) !== undefined) return format.version;
  const message =
    text === undefined || version === format.version
      ? `${path} holds a database that is not a store of Wherry's: choose another directory`
      : `${path} was written by a newer version of Wherry (format ${version}, and this one reads up to ${format.version}): use that version`;
  throw new StoreError("Corrupt", message);
}

/** The upgrades from a version to that of the format; undefined if a step is missing. */
function stepsFrom(from: number, { version, upgrades }: Format): [number, Upgrade][] | undefined {
  const steps: [number, Upgrade][] = [];
  for (let at = from; at < version; at++) {
    const step = upgrades.get(at);
    if (step === undefined) return undefined;
    steps.push([at, step]);
  }
  return steps;
}

function tooOld(path: string, from: number, { version, upgrades }: Format): StoreError {
  const oldest = Math.min(version, ...upgrades.keys());
  const message = `${path} was written by an older version of Wherry (format ${from}, and this one reads from ${oldest} up to ${version}): open it with a version in between first`;
  return new StoreError("Corrupt", message);
}

function lineOf(version: number): string {
  return `wherry store ${version}\n`;
}
