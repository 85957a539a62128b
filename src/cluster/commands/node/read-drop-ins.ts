import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { DropIns } from "../../../kubelet/config/merge-drop-ins.ts";
import { quote } from "../../../schema/values/quote.ts";
import { compareUtf8 } from "../../../schema/values/utf8-order.ts";

/** The files *.conf of a folder and of its folders, in the order of their names at each level. */
export async function readDropIns(folder: string): Promise<DropIns> {
  try {
    const paths = await filesIn(folder);
    const files = paths.map(async (path) => ({ path, text: await readFile(path, "utf8") }));
    return { folder, files: await Promise.all(files) };
  } catch (cause) {
    const { message } = cause as Error;
    throw new Error(
      `failed to merge kubelet configs: failed to walk through kubelet dropin directory ${quote(folder)}: ${message}`,
    );
  }
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const sorted = entries.sort((a, b) => compareUtf8(a.name, b.name));
  const found = sorted.map((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesIn(path);
    return entry.name.endsWith(".conf") ? [path] : [];
  });
  return (await Promise.all(found)).flat();
}
