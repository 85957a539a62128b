// @ts-check
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The folder of package.json: also where a bundle in `node_modules/.cache` runs this. */
export const projectRoot = nearestPackage(import.meta.dirname);

/** The script that bundles a TypeScript file and runs it. */
export const runScript = join(projectRoot, "scripts", "build", "run.mjs");

/** The entry of the program that `wherry` runs. */
export const mainFile = join(projectRoot, "src", "cluster", "main.ts");

/**
 * @param {string} folder
 * @returns {string}
 */
function nearestPackage(folder) {
  const isRoot = existsSync(join(folder, "package.json")) || dirname(folder) === folder;
  return isRoot ? folder : nearestPackage(dirname(folder));
}
