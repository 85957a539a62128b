import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { mainFile, projectRoot, runScript } from "./project.ts";

let program: string | undefined;

/**
 * The program `wherry`, to be run by Node. It is bundled on first use and once per process: to
 * bundle it for each start would take three times as long as the start itself.
 */
export function wherryProgram(): string {
  if (program !== undefined) return program;
  const built = spawnSync(process.execPath, [runScript, mainFile, "--version"]);
  if (built.status !== 0) throw new Error(`wherry cannot be built: ${built.stderr}`);
  program = join(projectRoot, "node_modules", ".cache", "wherry", "src-cluster-main.ts.mjs");
  return program;
}
