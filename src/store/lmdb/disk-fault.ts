import { constants } from "node:os";

/** Whether a write failed because the disk, or what a user or a file may take of it, is used up. */
export function isNoRoom(error: unknown): boolean {
  if (!(error instanceof Error && "code" in error)) return false;
  const { code } = error;
  return typeof code === "number" && noRoom.has(code);
}

const { ENOSPC, EDQUOT, EFBIG } = constants.errno;
const noRoom = new Set([ENOSPC, EDQUOT, EFBIG]);
