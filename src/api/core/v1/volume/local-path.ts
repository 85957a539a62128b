import type { At } from "../../../../schema/language/report.ts";

/** A path that does not leave the folder it starts in: no element of it is `..`. */
export function validateNoBacksteps(path: string, at: At): void {
  if (path.split("/").includes("..")) at.invalid("", path, "must not contain '..'");
}

/** A relative path that stays below the folder it starts in. */
export function validateLocalPath(path: string, at: At): void {
  if (path.startsWith("/")) at.invalid("", path, "must be a relative path");
  validateNoBacksteps(path, at);
}

/** A local path outside the names that begin with `..`, which volumes keep for themselves. */
export function validateLocalNonReservedPath(path: string, at: At): void {
  validateLocalPath(path, at);
  if (path.startsWith("..") && !path.startsWith("../"))
    at.invalid("", path, "must not start with '..'");
}
