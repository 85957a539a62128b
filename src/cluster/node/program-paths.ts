import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

/** This program, and the folders without which it does not run. */
export interface ProgramPaths {
  readonly program: string;
  readonly paths: readonly string[];
}

/** The paths of this program: Node, and the folder that holds its package and the packages that it loads. */
export function programPaths(): ProgramPaths {
  const program = realpathSync(process.argv[1] ?? "");
  return { program, paths: [realpathSync(process.execPath), packagesFolder(program)] };
}

/**
 * The folder of an installed package, with all others beside it, or the folder of a clone. An upgrade or a build
 * replaces folders in it, but not the folder itself, which boxes have mounted.
 */
export function packagesFolder(
  program: string,
  has: (path: string) => boolean = existsSync,
): string {
  const installed = program.indexOf("/node_modules/");
  if (installed >= 0) return program.slice(0, installed + "/node_modules".length);
  for (let folder = dirname(program); folder !== dirname(folder); folder = dirname(folder))
    if (has(join(folder, "package.json"))) return folder;
  return dirname(program);
}
