import { execFileSync } from "node:child_process";
import { type BigIntStats, lstatSync, readlinkSync } from "node:fs";
import { lstat } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import type { Readable } from "node:stream";
import { type ExtractOptions, ExtractRewriter, type ExtractTarget } from "./extract-rewriter.ts";
import { goFileMode } from "./go-file-mode.ts";
import { jailed, jailedFolder } from "./jailed.ts";
import { packTar } from "./pack-tar.ts";
import { resolveInRoot } from "./resolve-in-root.ts";
import type { TarRewriter } from "./tar/tar-transform.ts";
import { unpackTar } from "./unpack-tar.ts";

/** What docker's API says of a path in a container. */
export interface RootPathStat {
  /** Its last part, as it was asked for. */
  readonly name: string;
  readonly size: number;
  /** In the form of Go's `os.FileMode`. */
  readonly mode: number;
  readonly mtimeNs: bigint;
  /** Where a link leads to in the root, followed to its end; empty for what is no link. */
  readonly linkTarget: string;
}

/**
 * Describes a path in a root folder; undefined if there is none. A link that a path ends with is followed only if a
 * slash comes after it.
 */
export async function statInRoot(root: string, path: string): Promise<RootPathStat | undefined> {
  const found = await find(root, path);
  if (found === undefined) return undefined;
  const { stats, name } = found;
  const target = stats.isSymbolicLink()
    ? `/${relative(root, await resolveInRoot(root, path))}`
    : "";
  return {
    name,
    size: Number(stats.size),
    mode: goFileMode(Number(stats.mode)),
    mtimeNs: stats.mtimeNs,
    linkTarget: target,
  };
}

/**
 * Packs a file or folder of a root, under the last part of the path it was asked for by; undefined if there is none.
 * Nothing outside of the root is read, whatever links there are.
 */
export async function packFromRoot(root: string, path: string): Promise<Readable | undefined> {
  const found = await find(root, path);
  if (found === undefined) return undefined;
  const { hostPath, stats, name } = found;
  const isFolder = stats.isDirectory();
  const packed = isFolder ? "." : `./${basename(hostPath)}`;
  const rewriter = renamed(packed, isFolder && name === "/" ? "" : name);
  return packTar(isFolder ? hostPath : dirname(hostPath), {
    ...{ name: packed, rewriter, sharedRoot: root },
  });
}

/**
 * Packs a whole root, as `docker export` does.
 */
export const packRoot = (root: string): Readable =>
  packTar(root, { name: ".", rewriter: fromRoot, sharedRoot: root });

/**
 * Unpacks an archive into a folder of a root, or says why it is none. Nothing outside of the root is written,
 * whatever links the root has or the archive makes, also if a container changes it meanwhile.
 */
export async function unpackIntoRoot(
  root: string,
  path: string,
  options: ExtractOptions & { readonly archive: Readable; readonly signal?: AbortSignal },
): Promise<"unpacked" | "missing" | "not a directory"> {
  // A source that fails before it is read is noticed then.
  options.archive.on("error", () => {});
  const folder = await resolveInRoot(root, path);
  const stats = await statOf(folder);
  if (stats === undefined) return "missing";
  if (!stats.isDirectory()) return "not a directory";
  const rewriter = new ExtractRewriter(latin1(relative(root, folder)), targetOf(root), options);
  await unpackTar(root, options.archive, { rewriter, signal: options.signal, isShared: true });
  return "unpacked";
}

interface Found {
  readonly hostPath: string;
  readonly stats: BigIntStats;
  readonly name: string;
}

async function find(root: string, path: string): Promise<Found | undefined> {
  const isFolder = /(?:^|\/)\.?$/.test(path);
  const hostPath = await resolveInRoot(root, path, { followsLast: isFolder });
  const stats = await statOf(hostPath);
  if (stats === undefined || (isFolder && !stats.isDirectory())) return undefined;
  const name = /\/\.$/.test(path) ? "." : basename(join("/", path)) || "/";
  return { hostPath, stats, name };
}

/** Renames what tar found below a name. Names are bytes there. */
function renamed(from: string, to: string): TarRewriter {
  const rename = (name: string): string => latin1(to) + name.slice(latin1(from).length);
  return {
    rewrite: (entry) => [
      {
        ...entry,
        name: rename(entry.name),
        linkName: entry.type === "hardLink" ? rename(entry.linkName) : entry.linkName,
      },
    ],
  };
}

const fromRoot: TarRewriter = {
  rewrite: (entry) => {
    const name = entry.name.slice("./".length);
    const linkName = entry.type === "hardLink" ? entry.linkName.slice("./".length) : entry.linkName;
    return name === "" ? [] : [{ ...entry, name, linkName }];
  },
};

/** Names in archives are strings of bytes. */
const latin1 = (text: string): string => Buffer.from(text).toString("latin1");

function targetOf(root: string): ExtractTarget {
  const hostPath = (path: string): Buffer => Buffer.from(`${latin1(root)}/${path}`, "latin1");
  const stats = (path: string) => {
    try {
      return lstatSync(hostPath(path), { throwIfNoEntry: false });
    } catch (error) {
      if (hasCode(error, "ENOTDIR")) return undefined;
      throw error;
    }
  };
  return {
    isDirectory: (path) => stats(path)?.isDirectory(),
    readLink: (path) =>
      stats(path)?.isSymbolicLink()
        ? readlinkSync(hostPath(path), { encoding: "buffer" }).toString("latin1")
        : undefined,
    remove: (path) => {
      const name = jailedFolder(Buffer.from(path, "latin1").toString());
      const { program, args } = jailed(root, { program: "rm", args: ["-rf", "--", name] });
      execFileSync(program, args, { stdio: ["ignore", "ignore", "pipe"] });
    },
  };
}

async function statOf(path: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    if (hasCode(error, "ENOENT") || hasCode(error, "ENOTDIR")) return undefined;
    throw error;
  }
}

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code;
