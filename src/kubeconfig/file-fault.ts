/** The error of a file operation in Go's words: `open /x: no such file or directory`. */
export function fileFault(operation: string, path: string, error: unknown): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  const verb = code === "EISDIR" ? "read" : operation;
  return `${verb} ${path}: ${faults[code] ?? message}`;
}

export const isMissing = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException).code === "ENOENT";

const faults: Readonly<Record<string, string>> = {
  ENOENT: "no such file or directory",
  EACCES: "permission denied",
  EPERM: "operation not permitted",
  EISDIR: "is a directory",
  ENOTDIR: "not a directory",
  EEXIST: "file exists",
  EROFS: "read-only file system",
  ENOSPC: "no space left on device",
  ELOOP: "too many levels of symbolic links",
  ENAMETOOLONG: "file name too long",
};
