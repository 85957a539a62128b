import { readFile } from "node:fs/promises";

/** The last lines of a log and of its rotated file; all of them if `count` is negative. */
export async function lastLines(path: string, count: number): Promise<string[]> {
  const text = (await Promise.all([readOr(`${path}.1`), readOr(path)])).join("");
  const lines = text.split("\n");
  // The text after the last line feed is not a line.
  if (lines.at(-1) === "") lines.pop();
  if (count < 0) return lines;
  return count === 0 ? [] : lines.slice(-count);
}

async function readOr(path: string): Promise<string> {
  return readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
}
