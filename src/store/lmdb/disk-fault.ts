import { constants } from "node:os";

/** Whether a write failed because the disk, or what a user or a file may take of it, is used up. */
export function isNoRoom(error: unknown): boolean {
  return noRoom.has(nameOf(error));
}

/** What to do about a fault that is not the data's; undefined for any other. */
export function remedyOf(error: unknown): string | undefined {
  if (isNoRoom(error)) return "make room on its disk";
  if (forbidden.has(nameOf(error))) return "make it writable for who runs this";
  return undefined;
}

const noRoom: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);
const forbidden: ReadonlySet<string> = new Set(["EACCES", "EPERM", "EROFS"]);
const names = new Map(Object.entries(constants.errno).map(([name, number]) => [number, name]));

/** Node names the error, lmdb has its number. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error && "code" in error)) return "";
  const { code } = error;
  return typeof code === "number" ? (names.get(code) ?? "") : String(code);
}
