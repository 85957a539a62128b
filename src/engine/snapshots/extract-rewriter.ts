import { followLinks, pathInRoot } from "./path-in-root.ts";
import { emptyDirectory, type TarEntry } from "./tar/tar-entry.ts";
import type { TarRewriter } from "./tar/tar-transform.ts";

/** A file system that an archive is unpacked into; paths are from its root. */
export interface ExtractTarget {
  /** The target of a symbolic link; undefined for anything else. */
  readLink(path: string): string | undefined;
  isDirectory(path: string): boolean | undefined;
  remove(path: string): void;
}

/** How an archive is unpacked into a root. */
export interface ExtractOptions {
  /** Refuses to replace a folder by something else, and the other way round. */
  readonly keepsFolders: boolean;
  /** Who gets all files, instead of the owners in the archive. */
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined;
}

/**
 * Places the entries of an archive in a folder of a root. Links that the root has, or that the archive makes, are
 * followed as a process would whose root it is, so that the program that unpacks meets none.
 */
export class ExtractRewriter implements TarRewriter {
  readonly #folder: string;
  readonly #target: ExtractTarget;
  readonly #options: ExtractOptions;
  /** What the archive has placed so far; it may not be on disk yet. */
  readonly #placed = new Map<string, Placed>();

  /** The folder is a path from the root, without links. */
  constructor(folder: string, target: ExtractTarget, options: ExtractOptions) {
    this.#folder = folder;
    this.#target = target;
    this.#options = options;
  }

  rewrite(entry: TarEntry): readonly TarEntry[] {
    const clean = pathInRoot(entry.name);
    if (clean === undefined)
      throw new Error(`${JSON.stringify(entry.name)} is outside of "/${this.#folder}"`);
    if (clean === "") return [];
    const path = this.#place(clean);
    this.#makeRoom(path, entry.type === "directory");
    const parents = this.#parents(path, entry);
    const linkName = entry.type === "hardLink" ? this.#hardLinkTarget(entry) : entry.linkName;
    this.#placed.set(path, this.#placedAs(entry, linkName));
    return [
      ...parents,
      {
        ...entry,
        ...this.#options.owner,
        name: `./${path}`,
        linkName: entry.type === "hardLink" ? `./${linkName}` : linkName,
      },
    ];
  }

  #place(path: string): string {
    const inRoot = this.#folder === "" ? path : `${this.#folder}/${path}`;
    return followLinks(inRoot, (part) => this.#linkAt(part), { followsLast: false });
  }

  #linkAt(path: string): string | undefined {
    const placed = this.#placed.get(path);
    return placed === undefined ? this.#target.readLink(path) : placed.link;
  }

  #isDirectory(path: string): boolean | undefined {
    const placed = this.#placed.get(path);
    return placed === undefined ? this.#target.isDirectory(path) : placed.isDirectory;
  }

  #placedAs(entry: TarEntry, linkName: string): Placed {
    if (entry.type === "symlink") return { isDirectory: false, link: linkName };
    if (entry.type === "hardLink") return { isDirectory: false, link: this.#linkAt(linkName) };
    return { isDirectory: entry.type === "directory", link: undefined };
  }

  #makeRoom(path: string, isDirectory: boolean): void {
    const existing = this.#isDirectory(path);
    if (existing === undefined || existing === isDirectory) return;
    if (this.#options.keepsFolders) {
      const [old, next] = existing
        ? ["directory", "non-directory"]
        : ["non-directory", "directory"];
      throw new Error(`cannot overwrite ${old} "/${path}" with ${next} "/${this.#folder}"`);
    }
    if (existing) this.#target.remove(path);
  }

  #parents(path: string, { mtime }: TarEntry): TarEntry[] {
    const missing: TarEntry[] = [];
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const parent = path.slice(0, end);
      if (this.#isDirectory(parent) !== undefined) break;
      this.#placed.set(parent, { isDirectory: true, link: undefined });
      missing.push({ ...emptyDirectory, ...this.#options.owner, name: `./${parent}`, mtime });
    }
    return missing.reverse();
  }

  #hardLinkTarget(entry: TarEntry): string {
    const clean = pathInRoot(entry.linkName);
    if (clean === undefined)
      throw new Error(
        `invalid hardlink ${JSON.stringify(entry.name)} -> ${JSON.stringify(entry.linkName)}`,
      );
    return this.#place(clean);
  }
}

interface Placed {
  readonly isDirectory: boolean;
  readonly link: string | undefined;
}
