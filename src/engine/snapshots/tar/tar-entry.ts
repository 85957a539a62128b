import { encodePaxRecords, type PaxRecords } from "./pax-records.ts";
import {
  blockBytes,
  encodeTarHeader,
  largestOctal,
  largestShortOctal,
  paddingOf,
  type TarHeader,
  type TarType,
  withChecksum,
} from "./tar-header.ts";

/** An entry of an archive: its header with long names and pax records applied. */
export interface TarEntry extends TarHeader {
  readonly type: Exclude<TarType, "pax" | "paxGlobal" | "longName" | "longLink">;
  /** The records that no field of the header holds: times, extended attributes, maps of sparse files. */
  readonly pax: PaxRecords;
  /** The header of a sparse file in GNU's old form, and the blocks with the rest of its map. */
  readonly oldSparse?: readonly Buffer[] | undefined;
  /** The size of the file on disk, which a sparse file's data is smaller than. */
  readonly fileSize: number;
}

/** A directory without a name, for those that an archive has no entry for. */
export const emptyDirectory: TarEntry = {
  name: "",
  type: "directory",
  mode: 0o755,
  uid: 0,
  gid: 0,
  size: 0,
  mtime: 0,
  linkName: "",
  devMajor: 0,
  devMinor: 0,
  pax: new Map(),
  fileSize: 0,
};

/** What is written of an entry before its data. */
export function encodeTarEntry(entry: TarEntry): Buffer {
  const pax = new Map(entry.pax);
  const sparseName = pax.has("GNU.sparse.name");
  if (sparseName) pax.set("GNU.sparse.name", entry.name);
  const fits = {
    name: fitText(pax, sparseName ? "" : "path", entry.name),
    linkName: fitText(pax, "linkpath", entry.linkName),
    uid: fitNumber(pax, "uid", { value: entry.uid, largest: largestShortOctal }),
    gid: fitNumber(pax, "gid", { value: entry.gid, largest: largestShortOctal }),
    size: fitNumber(pax, "size", { value: entry.size, largest: largestOctal }),
    mtime: fitNumber(pax, "mtime", { value: entry.mtime, largest: largestOctal }),
  };
  const header = encodeTarHeader({ ...entry, ...fits });
  const blocks = entry.oldSparse ? oldSparseBlocks(header, entry.oldSparse) : [header];
  return pax.size === 0 ? Buffer.concat(blocks) : Buffer.concat([paxHeader(pax), ...blocks]);
}

/** The two empty blocks that end an archive. */
export const endOfTar = (): Buffer => Buffer.alloc(2 * blockBytes);

function paxHeader(records: PaxRecords): Buffer {
  const body = encodePaxRecords(records);
  const header = encodeTarHeader({
    name: "pax",
    type: "pax",
    mode: 0o644,
    uid: 0,
    gid: 0,
    size: body.length,
    mtime: 0,
    linkName: "",
    devMajor: 0,
    devMinor: 0,
  });
  return Buffer.concat([header, body, Buffer.alloc(paddingOf(body.length))]);
}

/** A text that fits stays in the header. ASCII only: programs disagree about other characters there. */
function fitText(pax: Map<string, string>, key: string, value: string): string {
  pax.delete(key);
  if (value.length <= 100 && isAscii(value)) return value;
  if (key !== "") pax.set(key, value);
  return "long-name";
}

function fitNumber(
  pax: Map<string, string>,
  key: string,
  { value, largest }: { value: number; largest: number },
): number {
  if (value >= 0 && value <= largest) return value;
  if (!pax.has(key)) pax.set(key, String(value));
  return 0;
}

const isAscii = (value: string): boolean => {
  for (let at = 0; at < value.length; at++) if (value.charCodeAt(at) > 126) return false;
  return true;
};

/** The map of a sparse file is in the bytes where POSIX has a prefix of the name. */
function oldSparseBlocks(header: Buffer, [original, ...rest]: readonly Buffer[]): Buffer[] {
  original?.copy(header, sparseMapAt, sparseMapAt, sparseMapEnd);
  header.write("ustar  \0", 257, "latin1");
  return [withChecksum(header), ...rest];
}

const sparseMapAt = 386;
const sparseMapEnd = 495;
