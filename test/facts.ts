import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "./project.ts";

/** The folder of facts about Kubernetes; its README says what they are. */
export const factsFolder = join(projectRoot, "test", "facts");

/** The value of a JSON file among the facts; a file that is missing is an error. */
export const readFact = <T>(name: string): T =>
  JSON.parse(readFileSync(join(factsFolder, name), "utf8")) as T;

/** The names of the files in a folder of the facts. */
export const factNames = (folder: string): readonly string[] =>
  readdirSync(join(factsFolder, folder)).sort();

/** All recorded requests of a family (a folder of `recorded/`) and what a real server answered. */
export const readRecorded = <T>(family: string): T[] =>
  factNames(`recorded/${family}`).flatMap((name) => readFact<T[]>(`recorded/${family}/${name}`));
