/** Says what to do about a directory that cannot be written. */
export function unusableDirectory(cause: unknown, dir: string): unknown {
  const words = problems[codeOf(cause) ?? ""];
  return words === undefined
    ? cause
    : new Error(`${dir} cannot be used: ${words}, or choose another directory with --data-dir`);
}

/** The first code among an error and what caused it. */
function codeOf(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause)
    if ("code" in at && typeof at.code === "string") return at.code;
  return undefined;
}

const problems: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full: make room",
  EDQUOT: "your share of the disk is used up: make room",
  EROFS: "it is on a disk that cannot be written: mount it otherwise",
  EACCES: "permission denied: let your user write it",
  EPERM: "permission denied: let your user write it",
  ENOTDIR: "a part of its path is no directory: move that away",
  EEXIST: "it is no directory: move that away",
};
