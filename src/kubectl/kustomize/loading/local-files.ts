import { lstatSync, readFileSync, realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { KustomizeError } from "../kustomize-error.ts";
import type { KustomizeFiles } from "./kustomize-files.ts";

/** The files of this machine; relative paths refer to a folder. */
export const localFiles = (cwd = process.cwd()): KustomizeFiles => ({
  readFile: (path) => {
    try {
      return readFileSync(path);
    } catch (cause) {
      throw new KustomizeError(`${isDirectory(path) ? "read" : "open"} ${path}: ${reason(cause)}`, {
        cause,
      });
    }
  },
  isDirectory: (path) => isDirectory(path),
  realPath: (path) => {
    const absolute = resolve(cwd, path);
    try {
      return realpathSync(absolute);
    } catch (cause) {
      throw new KustomizeError(realPathProblem(absolute, cause), { cause });
    }
  },
});

const isDirectory = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** Names the first part of a path that is missing, as Go does. */
function realPathProblem(path: string, cause: unknown): string {
  const parts = path.split("/").slice(1);
  for (const i of parts.keys()) {
    const part = `/${parts.slice(0, i + 1).join("/")}`;
    try {
      const stat = lstatSync(part);
      if (stat.isFile() && i < parts.length - 1) return "not a directory";
    } catch (error) {
      return `lstat ${part}: ${reason(error)}`;
    }
  }
  return reason(cause);
}

function reason(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return reasons.get(code) ?? (error instanceof Error ? error.message : String(error));
}

const reasons: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "no such file or directory"],
  ["ENOTDIR", "not a directory"],
  ["EACCES", "permission denied"],
  ["EISDIR", "is a directory"],
  ["ELOOP", "too many links"],
]);
