import { createHash, randomUUID } from "node:crypto";
import {
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { coalesceCalls } from "../../base/coalesce-calls.ts";
import { diskUsageByDu } from "../../platform/disk-usage.ts";
import { ensurePrivateDir, syncFolder } from "../../platform/files.ts";
import { type LayerLimits, LayerRewriter } from "./layer-rewriter.ts";
import { runProgram } from "./run-program.ts";
import type { SnapshotUsage } from "./snapshots.ts";
import { unpackTar } from "./unpack-tar.ts";

/**
 * The unpacked layers, each in `layers/sha256/HEX` with its files in `fs`. A layer is unpacked in a draft folder and
 * renamed. The disk is synced afterwards in the background; until then a layer names the boot it was unpacked in,
 * and is removed when it is found after another one.
 */
export class LayerStore {
  readonly #root: string;
  readonly #limits: LayerLimits;
  readonly #bootId: string;
  /** The short name of each layer's link in `l`, by diff ID. */
  readonly #links: Map<string, string>;
  readonly #unpacking = new Map<string, Promise<void>>();
  readonly #syncDisk: () => Promise<unknown>;
  readonly #syncing = new Set<Promise<void>>();
  #nextLink: number;

  static async open(root: string, limits: LayerLimits): Promise<LayerStore> {
    for (const folder of ["layers/sha256", "l", "drafts", "trash"])
      await ensurePrivateDir(join(root, folder));
    const bootId = (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim();
    await removeUnsynced(root, bootId);
    await emptyFolder(join(root, "drafts"));
    await emptyFolder(join(root, "trash"));
    return new LayerStore({ root, limits, bootId, links: await readLinks(root) });
  }

  private constructor(options: {
    readonly root: string;
    readonly limits: LayerLimits;
    readonly bootId: string;
    readonly links: Map<string, string>;
  }) {
    this.#root = options.root;
    this.#limits = options.limits;
    this.#bootId = options.bootId;
    this.#links = options.links;
    const numbers = [...options.links.values()].map((name) => Number.parseInt(name, linkRadix));
    this.#nextLink = Math.max(-1, ...numbers) + 1;
    this.#syncDisk = coalesceCalls(() => runProgram("sync", ["-f", this.#root]));
  }

  has(diffId: string): boolean {
    return this.#links.has(diffId);
  }

  list(): readonly string[] {
    return [...this.#links.keys()];
  }

  /** The path of a layer's files from the root, as short as it can be. */
  shortPath(diffId: string): string {
    const name = this.#links.get(diffId);
    if (name === undefined) throw new Error(`layer ${diffId} does not exist`);
    return `l/${name}`;
  }

  async usage(diffId: string): Promise<SnapshotUsage> {
    this.shortPath(diffId);
    return JSON.parse(await readFile(join(this.#folder(diffId), "usage.json"), "utf8"));
  }

  /** Unpacks a layer, unless it exists. */
  async unpack(diffId: string, tar: Readable, signal?: AbortSignal): Promise<void> {
    hexOf(diffId);
    // A source that fails before it is read is noticed then.
    tar.on("error", () => {});
    for (let other = this.#unpacking.get(diffId); other; other = this.#unpacking.get(diffId))
      await other.catch(() => {});
    if (this.has(diffId)) {
      tar.destroy();
      return;
    }
    const work = this.#unpack(diffId, tar, signal).finally(() => this.#unpacking.delete(diffId));
    this.#unpacking.set(diffId, work);
    await work;
  }

  async remove(diffId: string): Promise<void> {
    const link = this.#links.get(diffId);
    if (link === undefined) return;
    this.#links.delete(diffId);
    const trash = join(this.#root, "trash", randomUUID());
    await rename(this.#folder(diffId), trash);
    await rm(join(this.#root, "l", link), { force: true });
    await runProgram("rm", ["-rf", trash]);
  }

  /** Resolves when all layers are on disk. */
  async close(): Promise<void> {
    await Promise.all(this.#syncing);
  }

  #folder(diffId: string): string {
    return join(this.#root, "layers/sha256", hexOf(diffId));
  }

  async #unpack(diffId: string, tar: Readable, signal?: AbortSignal): Promise<void> {
    const draft = join(this.#root, "drafts", randomUUID());
    try {
      await this.#unpackDraft(draft, { diffId, tar, signal });
      const link = (this.#nextLink++).toString(linkRadix);
      await symlink(`../layers/sha256/${hexOf(diffId)}/fs`, join(this.#root, "l", link));
      await rename(draft, this.#folder(diffId));
      this.#links.set(diffId, link);
    } catch (cause) {
      tar.destroy();
      await runProgram("rm", ["-rf", draft]);
      if (signal?.aborted) throw signal.reason;
      throw new Error(`cannot unpack layer ${diffId}`, { cause });
    }
    const syncing = this.#sync(diffId).finally(() => this.#syncing.delete(syncing));
    this.#syncing.add(syncing);
  }

  async #unpackDraft(
    draft: string,
    { diffId, tar, signal }: { diffId: string; tar: Readable; signal: AbortSignal | undefined },
  ): Promise<void> {
    const files = join(draft, "fs");
    await mkdir(draft, { mode: 0o700 });
    await mkdir(files, { mode: 0o755 });
    const hash = createHash("sha256");
    const rewriter = new LayerRewriter(this.#limits);
    await unpackTar(files, tar, { rewriter, signal, onBytes: (bytes) => hash.update(bytes) });
    const found = `sha256:${hash.digest("hex")}`;
    if (found !== diffId) throw new Error(`wrong diff id calculated on extraction "${found}"`);
    await writeFile(join(draft, "usage.json"), JSON.stringify(await diskUsageByDu(files)));
    await writeFile(join(draft, bootFile), this.#bootId);
  }

  /** A failure leaves the layer as one that was not synced. */
  async #sync(diffId: string): Promise<void> {
    try {
      await this.#syncDisk();
      if (!this.has(diffId)) return;
      await rm(join(this.#folder(diffId), bootFile), { force: true });
      await syncFolder(this.#folder(diffId));
    } catch {
      return;
    }
  }
}

/** The hexadecimal digits of a digest; throws if it is none. */
function hexOf(diffId: string): string {
  const hex = /^sha256:([0-9a-f]{64})$/.exec(diffId)?.[1];
  if (hex === undefined) throw new Error(`invalid diff ID ${JSON.stringify(diffId)}`);
  return hex;
}

const bootFile = "boot";
const linkRadix = 36;

async function removeUnsynced(root: string, bootId: string): Promise<void> {
  for (const hex of await readdir(join(root, "layers/sha256"))) {
    const folder = join(root, "layers/sha256", hex);
    const boot = await readFile(join(folder, bootFile), "utf8").catch(() => bootId);
    if (boot !== bootId) await rename(folder, join(root, "trash", randomUUID()));
  }
}

/** Reads the links of all layers; makes those that are missing and removes those of no layer. */
async function readLinks(root: string): Promise<Map<string, string>> {
  const layers = new Set(await readdir(join(root, "layers/sha256")));
  const links = new Map<string, string>();
  let next = 0;
  for (const name of await readdir(join(root, "l"))) {
    const hex = /\/([0-9a-f]{64})\/fs$/.exec(await readlink(join(root, "l", name)))?.[1] ?? "";
    if (layers.delete(hex)) links.set(`sha256:${hex}`, name);
    else await rm(join(root, "l", name));
    next = Math.max(next, Number.parseInt(name, linkRadix) + 1);
  }
  for (const hex of layers) {
    const name = (next++).toString(linkRadix);
    await symlink(`../layers/sha256/${hex}/fs`, join(root, "l", name));
    links.set(`sha256:${hex}`, name);
  }
  return links;
}

/** Tries again: a child process that a killed engine has left may still write there until it notices. */
async function emptyFolder(folder: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    const names = await readdir(folder);
    if (names.length === 0) return;
    try {
      await runProgram("rm", ["-rf", "--", ...names.map((name) => join(folder, name))]);
    } catch (error) {
      if (tries === mostTries) throw error;
    }
  }
}

const mostTries = 10;
