import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** The cases in the JSON files of a folder and of those below it, or in one file. */
export function readCases<T>(path: string): T[] {
  if (!statSync(path).isDirectory()) return JSON.parse(readFileSync(path, "utf8")) as T[];
  const names = readdirSync(path).sort();
  return names
    .map((name) => join(path, name))
    .filter((child) => child.endsWith(".json") || statSync(child).isDirectory())
    .flatMap((child) => readCases<T>(child));
}
