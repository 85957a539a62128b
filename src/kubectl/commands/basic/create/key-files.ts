import { readdir, readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileFault } from "../../../../kubeconfig/file-fault.ts";
import { compareUtf8 } from "../../../../schema/values/utf8-order.ts";

/** Adds a value to an object; throws for keys that are invalid or known. */
export type AddKey = (key: string, value: Uint8Array) => void;

/** Adds pairs as `--from-literal` names them. */
export function addLiterals(sources: readonly string[], add: AddKey): void {
  for (const source of sources) {
    const at = source.indexOf("=");
    if (at <= 0) throw new Error(`invalid literal source ${source}, expected key=value`);
    add(source.slice(0, at), Buffer.from(source.slice(at + 1)));
  }
}

/** Adds files, and the files of folders, as `--from-file` names them. */
export async function addFiles(
  sources: readonly string[],
  cwd: string,
  add: AddKey,
): Promise<void> {
  for (const source of sources) {
    const { key, path } = fileSource(source);
    if (!(await isFolder(path, cwd))) {
      add(key, await read(path, cwd));
      continue;
    }
    if (source.includes("=")) throw new Error("cannot give a key name for a directory path");
    for (const name of await filesIn(path, cwd)) add(name, await read(join(path, name), cwd));
  }
}

/** Whether a path is a folder; errors are those of `--from-file` and `--from-env-file`. */
export async function isFolder(path: string, cwd: string): Promise<boolean> {
  try {
    return (await stat(resolve(cwd, path))).isDirectory();
  } catch (cause) {
    const reason = fileFault("stat", path, cause).slice(`stat ${path}: `.length);
    throw new Error(`error reading ${path}: ${reason}`, { cause });
  }
}

async function filesIn(path: string, cwd: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(resolve(cwd, path), { withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    return files.map(({ name }) => name).sort(compareUtf8);
  } catch (cause) {
    throw new Error(`error listing files in ${path}: ${fileFault("open", path, cause)}`, { cause });
  }
}

async function read(path: string, cwd: string): Promise<Uint8Array> {
  try {
    return await readFile(resolve(cwd, path));
  } catch (cause) {
    throw new Error(fileFault("open", path, cause), { cause });
  }
}

function fileSource(source: string): { readonly key: string; readonly path: string } {
  const parts = source.split("=");
  const [key = "", path = ""] = parts;
  if (parts.length === 1) return { key: baseName(source), path: source };
  if (parts.length > 2) throw new Error("key names or file paths cannot contain '='");
  if (key === "") throw new Error(`key name for file path ${path} missing`);
  if (path === "") throw new Error(`file path for key name ${key} missing`);
  return { key, path };
}

/** The last part of a path, as Go's package path has it. */
function baseName(path: string): string {
  if (path === "") return ".";
  const trimmed = path.replace(/\/+$/, "");
  return trimmed === "" ? "/" : trimmed.slice(trimmed.lastIndexOf("/") + 1);
}
