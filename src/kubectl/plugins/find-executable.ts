import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import type { Environment } from "../program/kubectl-command.ts";

/** The path of a program in the folders of `PATH`; undefined if there is none. */
export function findExecutable(
  name: string,
  { env, cwd }: { readonly env: Environment; readonly cwd: string },
): string | undefined {
  return (env.PATH ?? "")
    .split(delimiter)
    .map((folder) => join(folder === "" ? "." : folder, name))
    .find((path) => isExecutable(resolve(cwd, path)));
}

/** Whether a file can be run; throws if it cannot be looked at. */
export function hasExecuteMode(path: string): boolean {
  const stats = statSync(path);
  return !stats.isDirectory() && (stats.mode & 0o111) !== 0;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return hasExecuteMode(path);
  } catch {
    return false;
  }
}
