import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checkPrivate, ensurePrivateDir, writePrivateFile } from "./files.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "wherry-files-"));
});
afterEach(() => rm(folder, { recursive: true }));

async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8);
}

test("writePrivateFile: replaces a public file with a private one, and leaves nothing beside it", async () => {
  const path = join(folder, "key");
  await writeFile(path, "old");
  await chmod(path, 0o644);
  await writePrivateFile(path, "new");
  expect([await readFile(path, "utf8"), await modeOf(path), await readdir(folder)]).toEqual([
    "new",
    "600",
    ["key"],
  ]);
});

test("writePrivateFile: a failure names the file and leaves nothing behind", async () => {
  const path = join(folder, "taken");
  await mkdir(path);
  await expect(writePrivateFile(path, "x")).rejects.toThrow(`cannot write ${path}`);
  expect(await readdir(folder)).toEqual(["taken"]);
});

test("ensurePrivateDir: creates folders, and restricts one that others may enter", async () => {
  const made = join(folder, "a", "b");
  const found = join(folder, "c");
  await mkdir(found);
  await chmod(found, 0o755);
  await ensurePrivateDir(made);
  await ensurePrivateDir(found);
  expect([await modeOf(made), await modeOf(found)]).toEqual(["700", "700"]);
});

test("checkPrivate: names the file, its mode and the remedy", async () => {
  const path = join(folder, "key");
  await writePrivateFile(path, "x");
  await checkPrivate(path);
  await chmod(path, 0o640);
  await expect(checkPrivate(path)).rejects.toThrow(
    `${path} may be read by others (mode 0640): make it private with "chmod go= ${path}"`,
  );
});
