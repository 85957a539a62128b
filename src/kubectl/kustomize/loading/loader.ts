import { isAbsolute, join } from "node:path/posix";
import { parseGoUrl } from "../../../schema/values/go-url.ts";
import { quote } from "../../../schema/values/quote.ts";
import { inContext, KustomizeError } from "../kustomize-error.ts";
import type { KustomizeFiles, KustomizeRemotes } from "./kustomize-files.ts";
import { parseRepoSpec, type RepoSpec } from "./repo-spec.ts";

/** A file of a web server that was not there. */
export class HttpError extends KustomizeError {}

export interface LoaderSurroundings {
  readonly files: KustomizeFiles;
  readonly remotes: KustomizeRemotes;
  /** Whether files have to be in or below the directory of the kustomization. */
  readonly rootOnly: boolean;
}

interface Clone {
  readonly spec: RepoSpec;
  readonly directory: string;
}

interface LoaderParts {
  readonly root: string;
  readonly referrer?: Loader | undefined;
  readonly clone?: Clone;
  readonly surroundings: LoaderSurroundings;
}

/** Loads what a kustomization names, relative to its directory. */
export class Loader {
  readonly root: string;
  readonly #referrer: Loader | undefined;
  readonly #clone: Clone | undefined;
  readonly #around: LoaderSurroundings;

  private constructor({ root, referrer, clone, surroundings }: LoaderParts) {
    this.root = root;
    this.#referrer = referrer;
    this.#clone = clone;
    this.#around = surroundings;
  }

  /** A loader for the directory, or the repository, that a build is for. */
  static async open(target: string, surroundings: LoaderSurroundings): Promise<Loader> {
    const spec = parseRepoSpec(target);
    if (spec !== undefined) return await Loader.#cloned(spec, { surroundings });
    const root = inContext(notDirectory, () => confirmDirectory(target, surroundings.files));
    return new Loader({ root, surroundings });
  }

  /** A loader for another directory, or for a repository; throws where that is a cycle. */
  async below(path: string): Promise<Loader> {
    if (path === "") throw new KustomizeError("new root cannot be empty");
    const surroundings = this.#around;
    const spec = parseRepoSpec(path);
    if (spec !== undefined) {
      this.#checkRepoCycle(spec);
      return await Loader.#cloned(spec, { surroundings, referrer: this });
    }
    if (isAbsolute(path)) throw new KustomizeError(`new root '${path}' cannot be absolute`);
    const root = inContext(notDirectory, () =>
      confirmDirectory(join(this.root, path), surroundings.files),
    );
    this.#checkContained(root);
    this.#checkCycle(root);
    return new Loader({ root, referrer: this, surroundings });
  }

  static async #cloned(
    spec: RepoSpec,
    { surroundings, referrer }: { surroundings: LoaderSurroundings; referrer?: Loader },
  ): Promise<Loader> {
    const { files, remotes } = surroundings;
    const directory = await remotes.clone(spec);
    try {
      const path = join(directory, spec.rootPath);
      const root = cleaned(path, files);
      if (!files.isDirectory(root)) {
        const file = root.slice(root.lastIndexOf("/") + 1);
        throw new KustomizeError(`'${path}' refers to file '${file}'; expecting directory`);
      }
      if (!isWithin(root, directory)) {
        const quoted = `${JSON.stringify(path)} refers to directory outside of repo`;
        throw new KustomizeError(`${quoted} ${JSON.stringify(directory)}`);
      }
      const around = { ...surroundings, rootOnly: true };
      return new Loader({ root, referrer, clone: { spec, directory }, surroundings: around });
    } catch (error) {
      await remotes.remove(directory);
      throw error;
    }
  }

  /** The content of a file, or of a URL. */
  async load(path: string): Promise<Uint8Array> {
    const url = parseGoUrl(path);
    if (typeof url !== "string" && (url.scheme === "http" || url.scheme === "https")) {
      if (url.host === "") {
        throw new KustomizeError(`Get ${quote(path)}: http: no Host in request URL`);
      }
      return await this.#get(path);
    }
    const { files, rootOnly } = this.#around;
    const absolute = isAbsolute(path) ? path : join(this.root, path);
    return files.readFile(rootOnly ? this.#restricted(absolute) : absolute);
  }

  async loadText(path: string): Promise<string> {
    return new TextDecoder().decode(await this.load(path));
  }

  async #get(url: string): Promise<Uint8Array> {
    const { status, content } = await this.#around.remotes.get(url);
    if (status >= 200 && status <= 299) return content;
    if (parseRepoSpec(url) !== undefined) throw new KustomizeError("URL is a git repository");
    const reason = reasons.get(status) ?? "";
    throw new HttpError(`HTTP Error: status code ${status} (${reason})`);
  }

  #restricted(path: string): string {
    const { files } = this.#around;
    const real = cleaned(path, files);
    if (files.isDirectory(real)) throw new KustomizeError(`'${path}' must resolve to a file`);
    if (!isWithin(real.slice(0, real.lastIndexOf("/")) || "/", this.root)) {
      throw new KustomizeError(`security; file '${path}' is not in or below '${this.root}'`);
    }
    return real;
  }

  #checkContained(root: string): void {
    const clone = this.#containingClone();
    if (clone === undefined || isWithin(root, clone.directory)) return;
    throw new KustomizeError(
      `security; bases in kustomizations found in cloned git repos must be within the repo, but base '${root}' is outside '${clone.directory}'`,
    );
  }

  #containingClone(): Clone | undefined {
    const referrer = this.#referrer;
    if (this.#clone !== undefined || referrer === undefined) return this.#clone;
    return referrer.#containingClone();
  }

  #checkCycle(root: string): void {
    if (isWithin(this.root, root)) {
      throw new KustomizeError(
        `cycle detected: candidate root '${root}' contains visited root '${this.root}'`,
      );
    }
    const referrer = this.#referrer;
    if (referrer !== undefined) referrer.#checkCycle(root);
  }

  #checkRepoCycle(spec: RepoSpec): void {
    const own = this.#clone?.spec.raw;
    if (own?.startsWith(spec.raw) === true) {
      throw new KustomizeError(
        `cycle detected: URI '${spec.raw}' referenced by previous URI '${own}'`,
      );
    }
    const referrer = this.#referrer;
    if (referrer !== undefined) referrer.#checkRepoCycle(spec);
  }

  /** Removes the repository if it was cloned for this loader. */
  async close(): Promise<void> {
    if (this.#clone !== undefined) await this.#around.remotes.remove(this.#clone.directory);
  }
}

const notDirectory = "must build at directory";

const reasons: ReadonlyMap<number, string> = new Map([
  [400, "Bad Request"],
  [401, "Unauthorized"],
  [403, "Forbidden"],
  [404, "Not Found"],
  [429, "Too Many Requests"],
  [500, "Internal Server Error"],
  [502, "Bad Gateway"],
  [503, "Service Unavailable"],
  [504, "Gateway Timeout"],
]);

const isWithin = (path: string, directory: string): boolean =>
  directory === "/" || path === directory || path.startsWith(`${directory}/`);

const cleaned = (path: string, files: KustomizeFiles): string =>
  inContext(`evalsymlink failure on '${path}' `, () => files.realPath(path));

function confirmDirectory(path: string, files: KustomizeFiles): string {
  if (path === "") throw new KustomizeError("directory path cannot be empty");
  const real = inContext("not a valid directory", () => cleaned(path, files));
  if (files.isDirectory(real)) return real;
  throw new KustomizeError(`'${path}': file is not directory`);
}
