import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { fileFault } from "../../../../kubeconfig/file-fault.ts";

/** Throws unless a file exists whose content a flag wants embedded. */
export async function requireFile(flag: string, path: string, cwd: string): Promise<void> {
  await stat(resolve(cwd, path)).catch((cause: unknown) => {
    throw new Error(`could not stat ${flag} file ${path}: ${fileFault("stat", path, cause)}`, {
      cause,
    });
  });
}

/** The members for a file: its absolute path, or what it contains; a file that cannot be read is empty. */
export async function fileMembers(
  field: string,
  path: string,
  { embeds, cwd }: { readonly embeds: boolean; readonly cwd: string },
): Promise<Readonly<Record<string, string | undefined>>> {
  if (!embeds) return { [field]: resolve(cwd, path), [`${field}-data`]: undefined };
  const content = await readFile(resolve(cwd, path)).catch(() => Buffer.from(""));
  return { [field]: undefined, [`${field}-data`]: content.toString("base64") || undefined };
}
