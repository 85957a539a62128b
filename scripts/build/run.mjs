// @ts-check
// Bundles a TypeScript file and runs it in this process: node scripts/build/run.mjs FILE.ts [ARGUMENT…]
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { projectRoot } from "../project.mjs";
import "./controllers.mjs";
import "./kinds.mjs";
import { steadyShapesPlugin } from "./steady-shapes.mjs";

const [file, ...args] = process.argv.slice(2);
if (file === undefined) {
  console.error("usage: node scripts/build/run.mjs FILE.ts [ARGUMENT…]");
  process.exit(2);
}

const entry = resolve(file);
const cache = join(projectRoot, "node_modules", ".cache", "wherry");
mkdirSync(cache, { recursive: true });
const outfile = join(cache, `${relative(projectRoot, entry).replaceAll(/[/\\]/g, "-")}.mjs`);
const { outputFiles } = await build({
  entryPoints: [entry],
  outfile,
  write: false,
  bundle: true,
  packages: "external",
  plugins: [steadyShapesPlugin],
  platform: "node",
  target: "node20",
  format: "esm",
  sourcemap: true,
  logLevel: "warning",
});
for (const { path, contents } of outputFiles) {
  // In one step: another process may be running the same file.
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, contents);
  renameSync(draft, path);
}

process.setSourceMapsEnabled(true);
process.argv = [process.argv[0] ?? "node", outfile, ...args];
await import(pathToFileURL(outfile).href);
