import { posix } from "node:path";

/** An absolute path without `.`, `..`, doubled slashes and a slash at its end. */
export function absolutePath(path: string): string {
  return posix.resolve("/", path);
}
