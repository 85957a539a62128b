import {
  chmod,
  lchown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  unlink,
  writeFile,
} from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { pathProblem, type VolumeFiles } from "./file-content.ts";

export interface WriteRequest {
  /** The folder of the volume, which exists. */
  readonly folder: string;
  readonly files: VolumeFiles;
  /** The group that may read the files. */
  readonly fsGroup?: number | undefined;
  readonly now: number;
}

/**
 * Replaces the files of a volume: a reader sees all old ones or all new ones. Nothing is written if they are equal.
 *
 *     ..2026_01_02_15_04_05.x7Tq1z/user/labels
 *     ..data -> ..2026_01_02_15_04_05.x7Tq1z
 *     user -> ..data/user
 *
 * Only renaming the link `..data` makes files visible. What a kill has left before or after is removed here.
 */
export async function writeFiles({ folder, files, fsGroup, now }: WriteRequest): Promise<void> {
  const wanted = checked(files);
  let current = await currentFolder(folder);
  if (current === undefined || !(await hasFiles(join(folder, current), wanted))) {
    current = await newFolder(folder, now);
    await fill(join(folder, current), wanted, fsGroup);
    const draft = join(folder, newDataName);
    await rm(draft, { force: true });
    await symlink(current, draft);
    await rename(draft, join(folder, dataName));
  }
  await showFiles(folder, wanted);
  await removeOthers(folder, wanted, current);
}

/** Whether a volume has been written. */
export const isWritten = async (folder: string): Promise<boolean> =>
  (await currentFolder(folder)) !== undefined;

function checked(files: VolumeFiles): VolumeFiles {
  const clean = new Map<string, typeof files extends ReadonlyMap<string, infer F> ? F : never>();
  for (const [path, file] of files) {
    const problem = pathProblem(path);
    if (problem) throw new Error(problem);
    clean.set(normalize(path), file);
  }
  return clean;
}

async function currentFolder(folder: string): Promise<string | undefined> {
  try {
    return await readlink(join(folder, dataName));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Whether a folder has exactly these files. What cannot be read is written again. */
async function hasFiles(folder: string, wanted: VolumeFiles): Promise<boolean> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    if (entries.filter((entry) => !entry.isDirectory()).length !== wanted.size) return false;
    for (const [path, { bytes }] of wanted)
      if (!(await readFile(join(folder, path))).equals(bytes)) return false;
    return true;
  } catch {
    return false;
  }
}

async function newFolder(folder: string, now: number): Promise<string> {
  const [day = "", time = ""] = new Date(now).toISOString().slice(0, 19).split("T");
  const prefix = `..${day.replaceAll("-", "_")}_${time.replaceAll(":", "_")}.`;
  const path = await mkdtemp(join(folder, prefix));
  return path.slice(folder.length + 1);
}

async function fill(
  folder: string,
  files: VolumeFiles,
  fsGroup: number | undefined,
): Promise<void> {
  const folders = new Set([folder]);
  for (const [path, { bytes, mode, user = -1 }] of files) {
    const target = join(folder, path);
    for (let parent = dirname(target); parent !== folder; parent = dirname(parent))
      folders.add(parent);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, bytes, { mode: 0o600 });
    if (user !== -1 || fsGroup !== undefined) await lchown(target, user, fsGroup ?? -1);
    await chmod(target, fsGroup === undefined ? mode : mode | groupMayRead);
  }
  for (const path of folders) {
    if (fsGroup !== undefined) await lchown(path, -1, fsGroup);
    await chmod(path, fsGroup === undefined ? folderMode : folderMode | setGroupId);
  }
}

/** Links the first name of each path, so that all of them go through `..data`. */
async function showFiles(folder: string, files: VolumeFiles): Promise<void> {
  const present = new Set(await readdir(folder));
  for (const [path, { user }] of files) {
    const name = firstName(path);
    if (present.has(name)) continue;
    present.add(name);
    await symlink(join(dataName, name), join(folder, name));
    if (user !== undefined) await lchown(join(folder, name), user, -1);
  }
}

async function removeOthers(folder: string, files: VolumeFiles, current: string): Promise<void> {
  const names = new Set([...files.keys()].map(firstName));
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const { name } = entry;
    const path = join(folder, name);
    if (name.startsWith("..")) {
      if (name !== dataName && name !== current) await rm(path, { recursive: true, force: true });
    } else if (entry.isSymbolicLink() && !names.has(name)) await unlink(path);
  }
}

const firstName = (path: string): string => path.split("/", 1)[0] ?? path;

const dataName = "..data";
const newDataName = "..data_tmp";
const folderMode = 0o755;
const groupMayRead = 0o440;
const setGroupId = 0o2000;
