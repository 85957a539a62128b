import type { Stats } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { errorMessage } from "../../../base/error-message.ts";
import type { Log } from "../../../base/log.ts";
import { fullNameOf } from "../../pod/static-pod.ts";
import { mostManifestBytes, tooLarge } from "./manifest-size.ts";

export interface ManifestFilesOptions {
  readonly path: string;
  /** Reads the pod of a text; throws if it is invalid. */
  readonly parse: (text: string, file: string) => Pod;
  readonly log: Log;
}

/** Reads the pods of a file, or of all files of a folder. A problem is logged once, until the file changes. */
export class ManifestFiles {
  readonly #options: ManifestFilesOptions;
  #known: ReadonlyMap<string, Manifest> = new Map();

  constructor(options: ManifestFilesOptions) {
    this.#options = options;
  }

  /**
   * Returns all pods; undefined if the only file has never been valid. A pod whose file has become invalid stays if
   * that is wanted, because somebody may be writing the file; that of a single file always stays.
   */
  async read(found: Stats, keepsInvalid: boolean): Promise<readonly Pod[] | undefined> {
    const { path } = this.#options;
    const isFolder = found.isDirectory();
    const files = isFolder ? await filesOf(path) : [path];
    const known = new Map<string, Manifest>();
    for (const file of files) {
      const manifest = await this.#manifest(file);
      const isKept = !isFolder || keepsInvalid || manifest.problem === undefined;
      known.set(file, isKept ? manifest : { ...manifest, pod: undefined });
    }
    this.#known = known;
    const pods = [...known.values()].flatMap(({ pod }) => pod ?? []);
    if (!isFolder && pods.length === 0) return undefined;
    // Of several files with the same pod, the last one counts.
    return [...new Map(pods.map((pod) => [fullNameOf(pod), pod])).values()];
  }

  async #manifest(file: string): Promise<Manifest> {
    const { parse, log } = this.#options;
    const old = this.#known.get(file);
    let text = "";
    try {
      text = await textOf(file);
      return text === old?.text ? old : { text, pod: parse(text, file), problem: undefined };
    } catch (error) {
      const problem = errorMessage(error);
      if (problem !== old?.problem)
        log.warn("could not process manifest file", { path: file, error: problem });
      return { text, pod: old?.pod, problem };
    }
  }
}

/** A file as it was read last. */
interface Manifest {
  readonly text: string;
  /** The pod, or that of an earlier text if this one has a problem. */
  readonly pod: Pod | undefined;
  readonly problem: string | undefined;
}

/** All files of a folder but hidden ones, in the order of their names. */
async function filesOf(folder: string): Promise<readonly string[]> {
  const names = (await readdir(folder)).filter((name) => !name.startsWith("."));
  return names.sort().map((name) => join(folder, name));
}

async function textOf(file: string): Promise<string> {
  const found = await stat(file);
  if (found.isDirectory()) throw new Error("manifest path is a directory, not recursing into it");
  if (!found.isFile()) throw new Error("manifest path is not a directory or file");
  if (found.size > mostManifestBytes) throw new Error(tooLarge);
  return readFile(file, "utf8");
}
