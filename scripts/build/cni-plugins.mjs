// @ts-check
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { projectRoot } from "../project.mjs";

/**
 * Builds the program of the CNI plugins: one file that needs nothing but Node, so that a copy of it is a plugin. It is
 * small, because a process is started for each call.
 * @param {string} outfile
 */
export async function buildCniPlugins(outfile) {
  await build({
    entryPoints: [join(projectRoot, "src", "network", "cni", "plugin-program.ts")],
    outfile,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    charset: "ascii",
    logLevel: "warning",
    minifyWhitespace: true,
    banner: { js: "#!/usr/bin/env node" },
  });
  chmodSync(outfile, 0o755);
}
