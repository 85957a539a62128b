// @ts-check
// Builds what `bin` runs, dist/wherry.cjs, which starts the program beside it, and what users import.
import { execFileSync } from "node:child_process";
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { projectRoot } from "../project.mjs";
import { bundledPackages } from "./bundled-packages.mjs";
import { buildCniPlugins } from "./cni-plugins.mjs";
import "./controllers.mjs";
import "./kinds.mjs";
import { buildKubectl } from "./kubectl-program.mjs";
import { steadyShapesPlugin } from "./steady-shapes.mjs";
import { warmKubectl } from "./warm-kubectl.mjs";

const outdir = join(projectRoot, "dist");
rmSync(outdir, { recursive: true, force: true });
/** @type {import("esbuild").BuildOptions} */
const common = {
  bundle: true,
  packages: "external",
  plugins: [bundledPackages, steadyShapesPlugin],
  platform: "node",
  target: "node20",
  charset: "ascii",
  logLevel: "warning",
};
const source = join(projectRoot, "src", "cluster");
/** @type {import("esbuild").BuildOptions} */
const cached = {
  ...common,
  format: "cjs",
  minifyWhitespace: true,
  // Code that was compiled at an earlier start cannot import: packages are required instead.
  supported: { "dynamic-import": false },
};
await build({
  ...cached,
  entryPoints: [join(source, "main.ts")],
  outfile: join(outdir, "program.cjs"),
});
await buildKubectl(cached, outdir);
await build({
  ...common,
  entryPoints: [join(source, "launch.ts")],
  outfile: join(outdir, "wherry.cjs"),
  format: "cjs",
});
// The same under a name that does not change.
writeFileSync(join(outdir, "wherry.js"), '#!/usr/bin/env node\nimport "./wherry.cjs";\n');
await buildCniPlugins(join(outdir, "wherry-cni.cjs"));
const program = join(outdir, "wherry.cjs");
for (const file of [program, join(outdir, "wherry.js")]) chmodSync(file, 0o755);
// The first start compiles a program, and keeps what it compiled for the next.
execFileSync(process.execPath, [program, "apiserver", "--help"], { stdio: "ignore" });
await warmKubectl(program);

process.argv = [
  process.argv[0] ?? "node",
  "run.mjs",
  join(projectRoot, "scripts", "build", "publish-library.ts"),
  outdir,
];
await import("./run.mjs");
