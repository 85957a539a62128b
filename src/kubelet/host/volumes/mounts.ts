import { readFile } from "node:fs/promises";
import { posix } from "node:path";
import { type MountInfo, mountOf, parseMountInfo } from "../../../platform/mount-info.ts";
import { runChild } from "../../../platform/run-child.ts";

/** What `mount` is told, and what it prints if it fails. */
class MountError extends Error {
  override readonly name = "MountError";
}

/** Mounts a file system. Without its helpers and tables, `mount` takes a third less time. */
export async function mount(
  target: string,
  { type, source, options, needsHelper = false }: MountRequest,
): Promise<void> {
  const what = type === undefined ? ["--bind", source] : ["-t", type, source];
  const how = options.length > 0 ? ["-o", options.join(",")] : [];
  const args = [...what, ...how, target];
  const flags = needsHelper ? ["-n"] : plain;
  const { code, stderr, stdout } = await runChild("mount", [...flags, ...args], { env });
  if (code === 0) return;
  // As upstream shows a failed mount.
  throw new MountError(
    `mount failed: exit status ${code}\nMounting command: mount\nMounting arguments: ${args.join(" ")}\nOutput: ${stdout}${stderr}\n`,
  );
}

export interface MountRequest {
  /** The file system; absent for the bind mount of a path. */
  readonly type?: string | undefined;
  readonly source: string;
  readonly options: readonly string[];
  /** Whether a program of the file system mounts it. */
  readonly needsHelper?: boolean | undefined;
}

/** Unmounts what is mounted at folders and below them, the deepest first; rejects if something is still mounted. */
export async function unmountBelow(...folders: readonly string[]): Promise<void> {
  const found = await mountsBelow(...folders);
  if (found.length === 0) return;
  const tried = await unmount(found, []);
  const left = await mountsBelow(...folders);
  if (left.length === 0) return;
  // Memory that somebody still has open is freed when it is closed. A server that is down would be waited for.
  if (!left.every(({ type }) => detachable.has(type))) throw new Error(tried);
  const detached = await unmount(left, ["--lazy", "--force"]);
  if ((await mountsBelow(...folders)).length > 0) throw new Error(detached);
}

const detachable: ReadonlySet<string> = new Set(["tmpfs", "hugetlbfs", "nfs", "nfs4"]);

/** The mounts at folders and below them, as this process sees them, the deepest first. */
export const mountsBelow = async (...folders: readonly string[]): Promise<readonly MountInfo[]> =>
  (await mountTable())
    .filter(({ mountpoint }) =>
      folders.some((folder) => mountpoint === folder || mountpoint.startsWith(`${folder}/`)),
    )
    .reverse()
    .sort((a, b) => depth(b) - depth(a));

/** The latest mount at a path. */
export async function mountAt(path: string): Promise<MountInfo | undefined> {
  return (await mountsBelow(path)).find(({ mountpoint }) => mountpoint === path);
}

/** Whether a folder shows again somewhere below another. No file is looked at: its server could be down. */
export async function isMountedBelow(folder: string, source: string): Promise<boolean> {
  const mounts = await mountTable();
  const on = mountOf(source, mounts);
  const root = on && posix.join(on.root, posix.relative(on.mountpoint, source));
  return mounts.some(
    (mount) =>
      mount.device === on?.device &&
      mount.root === root &&
      mount.mountpoint.startsWith(`${folder}/`),
  );
}

const mountTable = async (): Promise<readonly MountInfo[]> =>
  parseMountInfo(await readFile("/proc/self/mountinfo", "utf8"));

const depth = ({ mountpoint }: MountInfo): number => mountpoint.split("/").length;

/** Resolves with why `umount` has failed, if it has. */
async function unmount(mounts: readonly MountInfo[], flags: readonly string[]): Promise<string> {
  const paths = mounts.map(({ mountpoint }) => mountpoint);
  const signal = AbortSignal.timeout(longestMs);
  try {
    const args = [...plain, ...flags, "--", ...paths];
    const { stderr } = await runChild("umount", args, { env, signal });
    return `unmount failed: ${stderr.trim()}`;
  } catch (error) {
    if (!signal.aborted) throw error;
    return "unmount failed: timed out";
  }
}

/** A server that does not respond in this time is taken to be down, as upstream does. */
const longestMs = 60_000;

/** No entry in /etc/mtab, no helper programs, no resolution of links: the paths are those of the kernel. */
const plain = ["-n", "-i", "-c"];
const env = { LC_ALL: "C", PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" };
