import { lstat } from "node:fs/promises";

/** Whether something exists at a path; links are not followed. */
export const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );
