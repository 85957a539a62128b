import {
  type FileHandle,
  mkdir,
  mkdtemp,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { CannotCreate, openInFolder } from "./safe-open.ts";

let root: string;
let volume: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "wherry-safe-open-")));
  onTestFinished(() => rm(root, { recursive: true }));
  volume = join(root, "volume");
  await mkdir(join(volume, "a/b"), { recursive: true });
  await mkdir(join(root, "outside"));
  await writeFile(join(volume, "a/file"), "");
});

async function pathOf(opening: Promise<FileHandle>): Promise<string> {
  const handle = await opening;
  try {
    // The kernel's path of the open file: to resolve it again could lead to what has taken its place meanwhile.
    return (await readlink(`/proc/self/fd/${handle.fd}`)).slice(root.length + 1);
  } finally {
    await handle.close();
  }
}

each<[path: string, found: string, links: Record<string, string>]>([
  ["a/b", "volume/a/b", {}],
  ["a//b/.", "volume/a/b", {}],
  ["a/file", "volume/a/file", {}],
  ["link", "volume/a/b", { link: "a/b" }],
  ["a/up/a", "volume/a", { "a/up": ".." }],
  ["key", "volume/..1/key", { "..1/key": "", "..data": "..1", key: "..data/key" }],
  ["link/b", "volume/a/b", { link: "VOLUME/a" }],
])("openInFolder: %s is %s", async (path, found, links) => {
  for (const [name, target] of Object.entries(links)) {
    const at = join(volume, name);
    if (target === "") {
      await mkdir(join(at, ".."), { recursive: true });
      await writeFile(at, "");
    } else await symlink(target.replace("VOLUME", volume), at);
  }
  expect(await pathOf(openInFolder(volume, path))).toBe(found);
});

each<[path: string, link: string, message: string]>([
  ["link", "/etc", "outside of the volume"],
  ["link/passwd", "/etc", "outside of the volume"],
  ["link", "../outside", "outside of the volume"],
  ["link", "a/../../outside", "outside of the volume"],
  ["link", "VOLUME-2", "outside of the volume"],
  ["link", "link", "too many levels of symbolic links"],
  ["..", "a", "outside of the volume"],
  ["link", "missing", "ENOENT"],
  ["a/file/x", "a", "ENOTDIR"],
])("openInFolder: %s with a link to %s rejects", async (path, link, message) => {
  await symlink(link.replace("VOLUME", volume), join(volume, "link"));
  await expect(openInFolder(volume, path)).rejects.toThrow(message);
});

test("openInFolder: creates missing folders with a mode, also behind a link", async () => {
  const before = process.umask(0o077);
  onTestFinished(() => void process.umask(before));
  await symlink("a", join(volume, "link"));
  expect(await pathOf(openInFolder(volume, "link/x/y", 0o2775))).toBe("volume/a/x/y");
  for (const path of ["a/x", "a/x/y"])
    expect((await stat(join(volume, path))).mode & 0o7777).toBe(0o2775);
  await expect(openInFolder(volume, "a/file/x", 0o755)).rejects.toThrow("ENOTDIR");
  await expect(openInFolder("/proc", "x", 0o755)).rejects.toThrow(CannotCreate);
});

test("openInFolder: never opens anything outside while a folder is replaced by a link", async () => {
  const target = join(volume, "a/target");
  const folder = join(volume, "a/folder");
  const link = join(volume, "a/link");
  await mkdir(folder);
  await symlink(join(root, "outside"), link);
  let isDone = false;
  const swap = async (): Promise<void> => {
    while (!isDone) {
      await rename(folder, target);
      await rename(target, folder);
      await rename(link, target);
      await rename(target, link);
    }
  };
  const swapping = swap();
  const outcomes = new Set<string>();
  for (let n = 0; n < 2000; n++)
    outcomes.add(
      await pathOf(openInFolder(volume, "a/target")).catch(({ message }: Error) =>
        message.slice(0, 6),
      ),
    );
  isDone = true;
  await swapping;
  const inside = [...outcomes].filter((one) => one.startsWith("volume/"));
  expect(inside.length).toBeGreaterThan(0);
  expect([...outcomes].filter((one) => one.startsWith("outside"))).toEqual([]);
});
