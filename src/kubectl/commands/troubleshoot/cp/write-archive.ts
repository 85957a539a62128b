import type { Stats } from "node:fs";
import { lstat, open, readdir, readlink } from "node:fs/promises";
import { resolve } from "node:path";
import { fileFault } from "../../../../kubeconfig/file-fault.ts";
import { tarEnd, tarHeader, tarPadding } from "../../../../platform/tar/tar-writer.ts";
import { joinPaths } from "./file-spec.ts";

/** Writes a file, or a folder with all that is in it, as a tar archive in which it has another name. */
export async function* writeArchive(
  path: string,
  name: string,
  cwd: string,
): AsyncGenerator<Uint8Array> {
  yield* members(path, name, cwd);
  yield tarEnd;
}

async function* members(path: string, name: string, cwd: string): AsyncGenerator<Uint8Array> {
  const file = resolve(cwd, path);
  const stats = await lstat(file).catch(faultOf("lstat", path));
  const head = {
    name,
    mode: stats.mode & 0o7777,
    uid: stats.uid,
    gid: stats.gid,
    mtime: Math.round(stats.mtimeMs / 1000),
  };
  if (stats.isDirectory()) {
    const names = await readdir(file).catch(faultOf("open", path));
    // Folders with content are made for their content.
    if (names.length === 0) yield tarHeader({ ...head, type: "folder", name: `${name}/` });
    for (const one of names.sort()) yield* members(joinPaths(path, one), joinPaths(name, one), cwd);
  } else if (stats.isSymbolicLink()) {
    const linkName = await readlink(file).catch(faultOf("readlink", path));
    yield tarHeader({ ...head, type: "symlink", linkName });
  } else if (stats.isSocket()) throw new Error("archive/tar: sockets not supported");
  else {
    yield tarHeader({ ...head, size: stats.size });
    yield* content(file, path, stats);
  }
}

/** Exactly as many bytes as the header says: the file may change meanwhile. */
async function* content(file: string, path: string, { size }: Stats): AsyncGenerator<Uint8Array> {
  const handle = await open(file).catch(faultOf("open", path));
  try {
    let left = size;
    for await (const bytes of handle.createReadStream({ autoClose: false })) {
      const piece = bytes as Uint8Array;
      if (piece.length > left) throw new Error("archive/tar: write too long");
      left -= piece.length;
      yield piece;
    }
    if (left > 0) throw new Error(`archive/tar: missed writing ${left} bytes`);
    yield tarPadding(size);
  } finally {
    await handle.close();
  }
}

const faultOf = (operation: string, path: string) => (cause: unknown) => {
  throw new Error(fileFault(operation, path, cause), { cause });
};
