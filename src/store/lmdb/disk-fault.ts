import { constants } from "node:os";

/** Whether a write failed because the disk, a quota or a file size limit is exhausted. */
export function isDiskFull(error: unknown): boolean {
  return noRoom.has(nameOf(error));
}

/** Advice about a fault of the environment; undefined if the data itself may be faulty. */
export function adviceFor(error: unknown): string | undefined {
  if (isDiskFull(error)) return "make room on its disk";
  if (forbidden.has(nameOf(error))) return "make it writable for who runs this";
  return undefined;
}

const noRoom: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);
const forbidden: ReadonlySet<string> = new Set(["EACCES", "EPERM", "EROFS"]);
const names = new Map(Object.entries(constants.errno).map(([name, number]) => [number, name]));

/** Node has the name of the error, lmdb its number. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error && "code" in error)) return "";
  const { code } = error;
  return typeof code === "number" ? (names.get(code) ?? "") : String(code);
}
