// @ts-check
// Builds what `bin` runs: dist/wherry.js, and chunks beside it that load when they are needed.
import { chmodSync, existsSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import "./kinds.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const outdir = join(root, "dist");
rmSync(outdir, { recursive: true, force: true });
await build({
  entryPoints: { wherry: join(root, "src", "cluster", "main.ts") },
  outdir,
  chunkNames: "chunks/[name]-[hash]",
  bundle: true,
  splitting: true,
  packages: "external",
  platform: "node",
  target: "node20",
  format: "esm",
  minifySyntax: true,
  logLevel: "warning",
});
chmodSync(join(outdir, "wherry.js"), 0o755);

const publishTypes = join(root, "scripts", "publish-types.ts");
if (existsSync(publishTypes)) {
  process.argv = [process.argv[0] ?? "node", "run.mjs", publishTypes, outdir];
  await import("./run.mjs");
}
