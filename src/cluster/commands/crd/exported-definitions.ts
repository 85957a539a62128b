import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import type { Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import type { ExportedDefinition } from "../../../custom-kinds/definitions/definitions-of-exports.ts";

/**
 * The definitions that a module exports, and those of the kinds that it exports. The module runs in a
 * process of its own, with the packages of its project; what it prints goes to standard error.
 */
export async function exportedDefinitions(
  file: string,
  signal: AbortSignal,
): Promise<readonly ExportedDefinition[]> {
  const path = resolve(file);
  if (!existsSync(path)) throw new Error(`there is no file ${file}`);
  const isTypeScript = /\.[cm]?ts$/.test(path);
  const bundler = isTypeScript ? bundlerFor(path) : undefined;
  if (isTypeScript && bundler === undefined && !canStripTypes)
    throw new Error(
      `${file} is TypeScript, which Node.js ${process.version} does not run: install esbuild in the project (npm install --save-dev esbuild), use Node.js 22.18 or later, or compile the module and name the .js file`,
    );
  // Beside the module: what the bundle imports is found from where it lies.
  const folder = bundler ? mkdtempSync(join(dirname(path), ".wherry-")) : undefined;
  const bundle = folder && join(folder, `${basename(path)}.mjs`);
  try {
    const text = await run([path, bundle ?? "", bundler ?? ""], { file, signal });
    return JSON.parse(text) as readonly ExportedDefinition[];
  } finally {
    if (folder) rmSync(folder, { recursive: true, force: true });
  }
}

const canStripTypes = "typescript" in process.features && Boolean(process.features.typescript);

/** The URL of the esbuild that the module's project has. */
function bundlerFor(path: string): string | undefined {
  try {
    return pathToFileURL(createRequire(path).resolve("esbuild")).href;
  } catch {
    return undefined;
  }
}

/** What runs in the other process: it writes the definitions to the file descriptor 3. */
const script = `
import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
const [file, bundle, bundler] = process.argv.slice(1);
if (bundle) {
  const { build } = (await import(bundler)).default;
  await build({ entryPoints: [file], outfile: bundle, bundle: true, packages: "external",
    platform: "node", format: "esm", sourcemap: "inline", logLevel: "error" });
}
const found = [];
for (const [name, value] of Object.entries(await import(pathToFileURL(bundle || file).href))) {
  const definition = value?.definition ?? value;
  if (definition?.kind === "CustomResourceDefinition") found.push({ name, definition });
}
writeFileSync(3, JSON.stringify(found));
process.exit(0);
`;

interface Run {
  readonly file: string;
  readonly signal: AbortSignal;
}

async function run(args: readonly string[], { file, signal }: Run): Promise<string> {
  const options = [
    "--enable-source-maps",
    "--no-warnings",
    "--input-type=module",
    "--eval",
    script,
  ];
  const child = spawn(process.execPath, [...options, "--", ...args], {
    stdio: ["ignore", 2, 2, "pipe"],
    signal,
  });
  const chunks: Buffer[] = [];
  const output = child.stdio[3] as Readable;
  output.on("data", (chunk: Buffer) => chunks.push(chunk));
  const code = await new Promise<number | null>((settle, fail) => {
    child.once("error", fail);
    child.once("close", settle);
  });
  if (code !== 0) throw new Error(`${file} cannot be loaded: see above`);
  return Buffer.concat(chunks).toString();
}
