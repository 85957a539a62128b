// @ts-check
// Checks every file of src/ against layers.mjs.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../project.mjs";
import { layerProblems } from "./layer-problems.mjs";
import { layers } from "./layers.mjs";

const src = join(projectRoot, "src");
const paths = readdirSync(src, { recursive: true, encoding: "utf8" })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => /\.m?[jt]sx?$/.test(path))
  .sort();

const problems = paths.flatMap((path) =>
  layerProblems({ path, source: readFileSync(join(src, path), "utf8") }, layers),
);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
