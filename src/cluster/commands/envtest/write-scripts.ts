import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Writes programs into a folder. Each is replaced at once, so that others may start them, or write the same,
 * meanwhile.
 */
export async function writeScripts(
  folder: string,
  scripts: ReadonlyMap<string, string>,
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const [name, text] of scripts) {
    const path = join(folder, name);
    if ((await readFile(path, "utf8").catch(() => undefined)) === text) continue;
    const draft = `${path}.${randomUUID()}.new`;
    await writeFile(draft, text, { mode: 0o700 });
    await rename(draft, path);
  }
}
