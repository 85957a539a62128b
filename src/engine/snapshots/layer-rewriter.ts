import { followLinks, pathInRoot } from "./path-in-root.ts";
import { emptyDirectory, type TarEntry } from "./tar/tar-entry.ts";
import type { TarRewriter } from "./tar/tar-transform.ts";

/** What a layer may hold at most. */
export interface LayerLimits {
  /** Of the uncompressed layer, and of its files together, sparse ones with their full size. */
  readonly bytes: number;
  readonly entries: number;
}

/**
 * Makes an archive of a layer one that overlay understands: whiteouts become devices 0/0, opaque directories get
 * overlay's attribute. Entries come out with paths in which no part is a symbolic link of the layer, so that the
 * program that unpacks them cannot be led out of its folder. What would be outside is refused.
 */
export class LayerRewriter implements TarRewriter {
  readonly #limits: LayerLimits;
  /** What the layer has at each path so far: the folder is empty when it begins. */
  readonly #nodes = new Map<string, Node>();
  #bytes = 0;
  #fileBytes = 0;
  #entries = 0;
  /** The memory that the nodes take, about. */
  #keptBytes = 0;

  constructor(limits: LayerLimits) {
    this.#limits = limits;
  }

  count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#limits.bytes)
      throw new Error(`layer is larger than ${this.#limits.bytes} bytes`);
  }

  rewrite(entry: TarEntry): readonly TarEntry[] {
    this.#checkLimits(entry);
    const clean = pathInRoot(entry.name);
    if (clean === undefined)
      throw new Error(`${JSON.stringify(entry.name)} is outside of the root`);
    const base = clean.slice(clean.lastIndexOf("/") + 1);
    if (base.startsWith(whiteoutPrefix)) return this.#whiteout(clean, entry);
    if (clean.startsWith(metadataPrefix)) return [];
    if (clean === "") return this.#root(entry);
    const path = this.#place(clean);
    return [...this.#parents(path, entry.mtime), this.#node(path, entry)];
  }

  #checkLimits(entry: TarEntry): void {
    if (entry.name.length > longestPath || entry.linkName.length > longestPath)
      throw new Error(`File name too long: ${JSON.stringify(entry.name.slice(0, 100))}…`);
    this.#fileBytes += entry.fileSize;
    if (++this.#entries > this.#limits.entries)
      throw new Error(`layer has more than ${this.#limits.entries} entries`);
    if (this.#fileBytes > this.#limits.bytes)
      throw new Error(`files of the layer are larger than ${this.#limits.bytes} bytes`);
  }

  #keep(path: string, node: Node): void {
    this.#nodes.set(path, node);
    this.#keptBytes += path.length + nodeBytes(node);
    if (this.#keptBytes > mostKeptBytes)
      throw new Error("names and attributes in the layer are too long together");
  }

  /** Where a process whose root is the layer would make an entry. */
  #place(path: string): string {
    return followLinks(path, (part) => this.#linkAt(part), { followsLast: false });
  }

  #linkAt(path: string): string | undefined {
    const node = this.#nodes.get(path);
    return node?.is === "symlink" ? node.target : undefined;
  }

  #root(entry: TarEntry): readonly TarEntry[] {
    if (entry.type !== "directory") throw new Error("the root of a layer must be a directory");
    return [this.#directory("", entry)];
  }

  /** The directories above a path that the layer has no entry for. */
  #parents(path: string, mtime: number): TarEntry[] {
    const missing: TarEntry[] = [];
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const parent = path.slice(0, end);
      if (this.#nodes.get(parent)?.is === "directory") break;
      missing.push(this.#directory(parent, impliedDirectory(mtime)));
    }
    return missing.reverse();
  }

  #node(path: string, entry: TarEntry): TarEntry {
    if (entry.type === "directory") return this.#directory(path, entry);
    const linkName = entry.type === "hardLink" ? this.#hardLinkTarget(entry) : entry.linkName;
    const linked = entry.type === "hardLink" ? this.#linkAt(linkName) : undefined;
    const target = entry.type === "symlink" ? linkName : linked;
    this.#keep(path, target === undefined ? { is: "other" } : { is: "symlink", target });
    const named = entry.type === "hardLink" ? `./${linkName}` : linkName;
    return { ...entry, name: `./${path}`, linkName: named, pax: allowedRecords(entry) };
  }

  #hardLinkTarget(entry: TarEntry): string {
    const clean = pathInRoot(entry.linkName);
    if (clean === undefined)
      throw new Error(
        `invalid hardlink ${JSON.stringify(entry.name)} -> ${JSON.stringify(entry.linkName)}`,
      );
    return this.#place(clean);
  }

  #directory(path: string, entry: TarEntry): TarEntry {
    const before = this.#nodes.get(path);
    // A directory that takes the place of a removed one must not show what the removed one held.
    const isOpaque = before?.is === "whiteout" || (before?.is === "directory" && before.isOpaque);
    const pax = allowedRecords(entry);
    const own: TarEntry = { ...entry, name: path === "" ? "./" : `./${path}/`, pax };
    this.#keep(path, { is: "directory", entry: own, isOpaque });
    return isOpaque ? opaque(own) : own;
  }

  #whiteout(path: string, entry: TarEntry): readonly TarEntry[] {
    const slash = path.lastIndexOf("/");
    const folder = slash < 0 ? "" : path.slice(0, slash);
    const hidden = path.slice(slash + 1 + whiteoutPrefix.length);
    if (`${whiteoutPrefix}${hidden}` === opaqueName) return this.#makeOpaque(folder, entry.mtime);
    if (hidden.startsWith(whiteoutPrefix)) return [];
    if (hidden === "" || hidden === "." || hidden === "..")
      throw new Error(`invalid whiteout name: ${JSON.stringify(entry.name)}`);
    const target = this.#place(folder === "" ? hidden : `${folder}/${hidden}`);
    // Whiteouts are about lower layers only, wherever they stand in their own.
    if (this.#nodes.has(target)) return [];
    const parents = this.#parents(target, entry.mtime);
    this.#keep(target, { is: "whiteout" });
    return [...parents, { ...whiteoutDevice, name: `./${target}`, mtime: entry.mtime }];
  }

  #makeOpaque(folder: string, mtime: number): readonly TarEntry[] {
    const path = followLinks(folder, (part) => this.#linkAt(part), { followsLast: true });
    const parents = path === "" ? [] : this.#parents(path, mtime);
    const before = this.#nodes.get(path);
    const entry = before?.is === "directory" ? before.entry : impliedDirectory(mtime);
    this.#keep(path, { is: "directory", entry, isOpaque: true });
    return [...parents, opaque({ ...entry, name: path === "" ? "./" : `./${path}/` })];
  }
}

type Node =
  | { readonly is: "symlink"; readonly target: string }
  | { readonly is: "directory"; readonly entry: TarEntry; readonly isOpaque: boolean }
  | { readonly is: "whiteout" }
  | { readonly is: "other" };

/** The limit of Linux. */
const longestPath = 4096;

/** Enough for a million files with long names. */
const mostKeptBytes = 256 << 20;

function nodeBytes(node: Node): number {
  if (node.is === "symlink") return 100 + node.target.length;
  if (node.is !== "directory") return 100;
  return [...node.entry.pax].reduce((sum, [key, value]) => sum + key.length + value.length, 400);
}

const whiteoutPrefix = ".wh.";
const opaqueName = ".wh..wh..opq";
/** Folders in which AUFS kept its own files. */
const metadataPrefix = ".wh..wh.";
const opaqueRecord = "SCHILY.xattr.trusted.overlay.opaque";

/** What overlay takes for a removed file. */
const whiteoutDevice: TarEntry = { ...emptyDirectory, type: "charDevice", mode: 0 };

const impliedDirectory = (mtime: number): TarEntry => ({ ...emptyDirectory, mtime });

const opaque = (entry: TarEntry): TarEntry => ({
  ...entry,
  pax: new Map([...entry.pax, [opaqueRecord, "y"]]),
});

/** Overlay's own attributes would redirect its directories. */
const overlayRecord = /^SCHILY\.xattr\.(?:trusted|user)\.overlay\./;

function allowedRecords({ pax }: TarEntry): TarEntry["pax"] {
  return pax.size === 0 ? pax : new Map([...pax].filter(([key]) => !overlayRecord.test(key)));
}
