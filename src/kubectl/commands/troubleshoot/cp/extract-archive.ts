import { mkdir, open } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { fileFault } from "../../../../kubeconfig/file-fault.ts";
import { readTar, type TarEntry } from "../../../../platform/tar/tar-reader.ts";
import { quote } from "../../../../schema/values/quote.ts";
import type { Output } from "../../../program/io.ts";
import { archivePrefix, type FileSpec, isInside, joinPaths, remotePath } from "./file-spec.ts";

export interface ExtractOptions {
  readonly source: FileSpec;
  /** The file or folder of this machine that gets the contents. */
  readonly destination: string;
  readonly cwd: string;
  readonly stderr: Output;
}

/** Writes the files of an archive from a container; what would be outside the destination, and links, are skipped. */
export async function extractArchive(
  archive: AsyncIterable<Uint8Array>,
  { source, destination, cwd, stderr }: ExtractOptions,
): Promise<void> {
  const pieces = archive[Symbol.asyncIterator]();
  try {
    await extract({ [Symbol.asyncIterator]: () => pieces }, { source, destination, cwd, stderr });
  } finally {
    // What follows the end of an archive is not read: the command that writes it is to end.
    await pieces.return?.();
  }
}

async function extract(
  archive: AsyncIterable<Uint8Array>,
  { source, destination, cwd, stderr }: ExtractOptions,
): Promise<void> {
  const prefix = archivePrefix(source.path);
  let hasWarned = false;
  for await (const entry of readTar(archive, Number.POSITIVE_INFINITY)) {
    if (!entry.name.startsWith(prefix)) throw new Error("tar contents corrupted");
    const path = joinPaths(destination, remotePath(entry.name.slice(prefix.length)));
    if (!isInside(destination, path)) {
      stderr.write(`warning: file ${quote(path)} is outside target destination, skipping\n`);
      continue;
    }
    await makeFolder(dirname(path), cwd);
    if (entry.type === "folder" || entry.name.endsWith("/")) await makeFolder(path, cwd);
    else if (entry.type === "symlink") {
      const hint = hasWarned ? "" : ` ${hintFor(source)}`;
      hasWarned = true;
      stderr.write(
        `warning: skipping symlink: ${quote(path)} -> ${quote(entry.linkName)}${hint}\n`,
      );
    } else await writeFile(path, entry, cwd);
  }
}

const hintFor = ({ namespace, pod, path }: FileSpec): string =>
  `(consider using "kubectl exec -n ${quote(namespace)} ${quote(pod)} -- tar cf - ${quote(path)} | tar xf -")`;

async function makeFolder(path: string, cwd: string): Promise<void> {
  await mkdir(resolve(cwd, path), { recursive: true, mode: 0o755 }).catch((cause) => {
    throw new Error(fileFault("mkdir", path, cause), { cause });
  });
}

async function writeFile(path: string, entry: TarEntry, cwd: string): Promise<void> {
  const file = await open(resolve(cwd, path), "w").catch((cause: NodeJS.ErrnoException) => {
    const isFolder = cause.code === "EISDIR";
    const fault = isFolder ? `open ${path}: is a directory` : fileFault("open", path, cause);
    throw new Error(fault, { cause });
  });
  try {
    for await (const bytes of entry.content()) await file.writeFile(bytes);
  } finally {
    await file.close();
  }
}
