// @ts-check
// Builds what `bin` runs: dist/wherry.js, which starts the program beside it.
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import "./kinds.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const outdir = join(root, "dist");
rmSync(outdir, { recursive: true, force: true });
/** @type {import("esbuild").BuildOptions} */
const common = {
  bundle: true,
  packages: "external",
  platform: "node",
  target: "node20",
  charset: "ascii",
  logLevel: "warning",
};
const source = join(root, "src", "cluster");
await build({
  ...common,
  entryPoints: { program: join(source, "main.ts") },
  outdir,
  outExtension: { ".js": ".cjs" },
  format: "cjs",
  minifySyntax: true,
  minifyWhitespace: true,
});
await build({
  ...common,
  entryPoints: { wherry: join(source, "launch.ts") },
  outdir,
  format: "esm",
});
const program = join(outdir, "wherry.js");
chmodSync(program, 0o755);
// The first start compiles the program, and keeps what it compiled for the next.
execFileSync(process.execPath, [program, "apiserver", "--help"], { stdio: "ignore" });

const publishTypes = join(root, "scripts", "publish-types.ts");
if (existsSync(publishTypes)) {
  process.argv = [process.argv[0] ?? "node", "run.mjs", publishTypes, outdir];
  await import("./run.mjs");
}
