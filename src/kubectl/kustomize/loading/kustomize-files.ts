import type { RepoSpec } from "./repo-spec.ts";

/** The files that a build reads. Errors have Go's messages. */
export interface KustomizeFiles {
  readFile(path: string): Uint8Array;
  isDirectory(path: string): boolean;
  /** The absolute path without symbolic links; throws where nothing is there. */
  realPath(path: string): string;
}

/** What a build gets from elsewhere. */
export interface KustomizeRemotes {
  /** Clones a repository into a new directory, and returns its path. */
  clone(spec: RepoSpec): Promise<string>;
  /** Removes a directory that `clone` made. */
  remove(directory: string): Promise<void>;
  get(url: string): Promise<{ readonly status: number; readonly content: Uint8Array }>;
}
