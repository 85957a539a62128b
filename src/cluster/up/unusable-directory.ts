/** Adds a remedy to the error for a directory that cannot be written. */
export function unusableDirectory(cause: unknown, dir: string): unknown {
  const words = problems[codeOf(cause) ?? ""];
  return words === undefined
    ? cause
    : new Error(`${dir} cannot be used: ${words}, or choose another directory with --data-dir`);
}

/** The first code in an error's chain of causes. */
function codeOf(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause)
    if ("code" in at && typeof at.code === "string") return at.code;
  return undefined;
}

const problems: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full: free some space",
  EDQUOT: "your disk quota is used up: free some space",
  EROFS: "it is on a read-only file system: mount it writable",
  EACCES: "permission denied: give your user write access",
  EPERM: "permission denied: give your user write access",
  ENOTDIR: "a part of its path is not a directory: move that away",
  EEXIST: "it is not a directory: move that away",
};
