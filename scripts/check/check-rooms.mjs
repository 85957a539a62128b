// @ts-check
// Checks the folders of src/: their size, and the READMEs that say what is in them.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../project.mjs";
import { roomProblems } from "./room-problems.mjs";

const paths = readdirSync(join(projectRoot, "src"), { recursive: true, encoding: "utf8" })
  .map((path) => `src/${path.replaceAll("\\", "/")}`)
  .filter((path) => /\.(?:ts|md)$/.test(path));
const problems = roomProblems(paths, (path) => readFileSync(join(projectRoot, path), "utf8"));
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
