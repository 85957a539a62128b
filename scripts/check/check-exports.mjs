// @ts-check
// Checks that every export of src/ is used by another file of the product.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../project.mjs";
import { unusedExports } from "./unused-exports.mjs";

const folders = ["src", "entries", "bench", "scripts", "examples", "test"];
const paths = folders.flatMap((folder) =>
  readdirSync(join(projectRoot, folder), { recursive: true, encoding: "utf8" })
    .map((path) => `${folder}/${path.replaceAll("\\", "/")}`)
    .filter((path) => /\.m?[jt]sx?$/.test(path) && !path.includes("/node_modules/"))
    .sort(),
);
const problems = unusedExports(
  paths.map((path) => ({ path, source: readFileSync(join(projectRoot, path), "utf8") })),
);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
