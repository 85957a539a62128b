import { StoreError } from "../store.ts";
import type { Database } from "./database.ts";
import { encodeId } from "./record.ts";

/** How records and their directory are laid out, and what makes that of older stores. */
export interface Format {
  /** A higher number is a newer layout. */
  readonly version: number;
  /** By the version they start from: each makes a store of it one of the next version. */
  readonly upgrades: ReadonlyMap<number, Upgrade>;
}

/**
 * Changes all that is laid out in another way in the next version. It runs within a transaction, which it
 * reads and writes through `db`; what it throws undoes all of it. The mark's version is not its business.
 */
export type Upgrade = (db: Database) => void;

/** What this version of Wherry reads and writes. */
export const currentFormat: Format = { version: 1, upgrades: new Map() };

/** The record that says what a database is: a line with its version, and what else that version marks. */
export const markId: Buffer = encodeId({ revision: 0, ordinal: 0 });

/** The mark of a store whose superseded records may be missing up to a revision. */
export function encodeMark(version: number, compacted: number): Buffer {
  const line = lineOf(version);
  const mark = Buffer.alloc(line.length + 6);
  mark.write(line);
  mark.writeUIntBE(compacted, line.length, 6);
  return mark;
}

/** The revision that a mark of the given version holds; undefined if it is not one. */
export function readMark(mark: Buffer | undefined, version: number): number | undefined {
  const line = lineOf(version);
  if (mark?.length !== line.length + 6) return undefined;
  if (mark.toString("latin1", 0, line.length) !== line) return undefined;
  return mark.readUIntBE(line.length, 6);
}

/**
 * Makes a store of an older version one of this version, step by step in one transaction: a crash leaves
 * the old one. Fails where it is none of ours, or of a version that this one cannot read.
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

/** Fails unless a store, which may not be written to, is of this version. */
export function checkFormat(db: Database, path: string, format: Format): void {
  const version = versionIn(db, path, format);
  if (version === format.version) return;
  const message = `${path} was written by an older version of Wherry (format ${version}, and this one reads ${format.version}): start a server on it once, which upgrades it`;
  throw new StoreError("Corrupt", message);
}

/** The version of a store, if it is one and not newer than this version of Wherry. */
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

/** What leads from a version to that of the format; undefined where a step is missing. */
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
