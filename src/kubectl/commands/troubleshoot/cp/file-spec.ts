import { posix } from "node:path";

/** A file of this machine, or of a pod. */
export interface FileSpec {
  /** Empty for this machine. */
  readonly pod: string;
  /** Empty for the namespace of the command. */
  readonly namespace: string;
  readonly path: string;
}

/** Reads `[[NAMESPACE/]POD:]PATH`. */
export function parseFileSpec(text: string): FileSpec {
  const colon = text.indexOf(":");
  if (colon < 0) return { pod: "", namespace: "", path: withoutTrailingSlash(text) };
  const [first = "", second, ...more] = text.slice(0, colon).split("/");
  if (colon === 0 || more.length > 0)
    throw new Error("filespec must match the canonical format: [[namespace/]pod:]file/path");
  const path = remotePath(text.slice(colon + 1));
  return second === undefined
    ? { pod: first, namespace: "", path }
    : { pod: second, namespace: first, path };
}

/** A path in a container; those of Windows get slashes. */
export const remotePath = (text: string): string =>
  withoutTrailingSlash(text).replaceAll("\\", "/");

const withoutTrailingSlash = (path: string): string =>
  path === "/" ? path : path.replace(/\/$/, "");

/** The shortest form of a path, as Go has it: `.` for nothing, no slash at the end. */
export const cleanPath = (path: string): string => withoutTrailingSlash(posix.normalize(path));

/** Joins what is not empty. */
export function joinPaths(...parts: readonly string[]): string {
  const given = parts.filter((part) => part !== "");
  return given.length === 0 ? "" : cleanPath(given.join("/"));
}

/** The last part of a path; `/` and `.` for the root and for nothing. */
export const baseName = (path: string): string => (path === "" ? "." : posix.basename(path) || "/");

/** What tar puts before the names of the files below a path: no slash and no `..` at the beginning. */
export const archivePrefix = (path: string): string =>
  withoutShortcuts(cleanPath(path.replace(/^[/\\]+/, "")));

function withoutShortcuts(path: string): string {
  const rest = path.replace(/^(?:\.\.\/)+/, "");
  return rest === "." || rest === ".." ? "" : rest.replace(/^\//, "");
}

/** Whether a path is that of a folder, or below it. */
export function isInside(folder: string, path: string): boolean {
  if (posix.isAbsolute(folder) !== posix.isAbsolute(path)) return false;
  const relative = posix.relative(folder, path) || ".";
  return relative === "." || relative === withoutShortcuts(relative);
}
