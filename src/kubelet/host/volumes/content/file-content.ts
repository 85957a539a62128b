/** The files of a volume by their paths in it. */
export type VolumeFiles = ReadonlyMap<string, FileContent>;

export interface FileContent {
  readonly bytes: Uint8Array;
  /** The permissions of the file. */
  readonly mode: number;
  /** The owner of the file; root if absent. */
  readonly user?: number | undefined;
}

/** Why files cannot be written to a volume. */
export function pathProblem(path: string): string | undefined {
  const names = path.split("/");
  if (path === "") return 'invalid path: must not be empty: ""';
  if (path.startsWith("/")) return `invalid path: must be relative path: ${path}`;
  if (path.length > longestPath)
    return `invalid path: must be less than or equal to ${longestPath} characters`;
  if (names.includes("..")) return `invalid path: must not contain '..': ${path}`;
  if (names.some((name) => name.length > longestName))
    return `invalid path: filenames must be less than or equal to ${longestName} characters`;
  // Such names are those of the folders that hold the files.
  if (path.startsWith("..")) return `invalid path: must not start with '..': ${path}`;
  return undefined;
}

const longestPath = 4096;
const longestName = 255;
