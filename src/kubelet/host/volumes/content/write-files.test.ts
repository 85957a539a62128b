import {
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { each } from "../../../../../test/each.ts";
import { type FileContent, pathProblem, type VolumeFiles } from "./file-content.ts";
import { isWritten, writeFiles } from "./write-files.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "wherry-write-files-"));
  onTestFinished(() => rm(folder, { recursive: true }));
});

const files = (texts: Readonly<Record<string, string>>, mode = 0o644): VolumeFiles =>
  new Map<string, FileContent>(
    Object.entries(texts).map(([path, text]) => [path, { bytes: Buffer.from(text), mode }]),
  );
const write = (texts: Readonly<Record<string, string>>, mode?: number): Promise<void> =>
  writeFiles({ folder, files: files(texts, mode), now: Date.UTC(2026, 0, 2, 15, 4, 5) });
const data = (): Promise<string> => readlink(join(folder, "..data"));
const read = (path: string): Promise<string> => readFile(join(folder, path), "utf8");
const names = async (): Promise<string[]> => {
  const current = await data();
  return (await readdir(folder)).filter((name) => name !== "..data" && name !== current).sort();
};

test("writeFiles: links lead through one link to a folder that is named after the time", async () => {
  expect(await isWritten(folder)).toBe(false);
  await write({ a: "1", "user/labels": "2", "user/x/y": "3" });
  expect(await isWritten(folder)).toBe(true);
  expect(await data()).toMatch(/^\.\.2026_01_02_15_04_05\.\w+$/);
  expect(await readlink(join(folder, "a"))).toBe("..data/a");
  expect(await readlink(join(folder, "user"))).toBe("..data/user");
  expect([await read("a"), await read("user/labels"), await read("user/x/y")]).toEqual([
    "1",
    "2",
    "3",
  ]);
  expect((await stat(join(folder, "user/x"))).mode & 0o7777).toBe(0o755);
});

test("writeFiles: equal files are not written again", async () => {
  await write({ a: "1", "b/c": "2" });
  const before = await data();
  await write({ a: "1", "b/c": "2" });
  expect(await data()).toBe(before);
});

each<[before: Record<string, string>, after: Record<string, string>, names: string[]]>([
  [{ a: "1" }, { a: "2" }, ["a"]],
  [{ a: "1", b: "1" }, { a: "1" }, ["a"]],
  [{ a: "1" }, { b: "1" }, ["b"]],
  [{ a: "1" }, { "a/b": "1" }, ["a"]],
  [{ "a/b": "1", "a/c": "2" }, { "a/b": "1" }, ["a"]],
  [{ "a/b": "1" }, { a: "1" }, ["a"]],
  [{ a: "1" }, {}, []],
])("writeFiles: %j becomes %j", async (before, after, expected) => {
  await write(before);
  const old = await data();
  await write(after);
  expect(await data()).not.toBe(old);
  expect(await names()).toEqual(expected);
  for (const [path, text] of Object.entries(after)) expect(await read(path)).toBe(text);
});

test("writeFiles: the mode does not depend on the process", async () => {
  const before = process.umask(0o077);
  onTestFinished(() => void process.umask(before));
  await write({ "x/a": "1" }, 0o666);
  expect((await stat(join(folder, "x/a"))).mode & 0o7777).toBe(0o666);
  expect((await stat(join(folder, "x"))).mode & 0o7777).toBe(0o755);
});

each<[left: string, (folder: string) => Promise<unknown>]>([
  [
    "a folder that was not finished",
    (at) => mkdir(join(at, "..2026_01_01_00_00_00.x/y"), { recursive: true }),
  ],
  ["the new link", (at) => symlink("..nowhere", join(at, "..data_tmp"))],
  [
    "a link without its folder",
    async (at) => rm(join(at, await readlink(join(at, "..data"))), { recursive: true }),
  ],
  ["a missing visible link", (at) => rm(join(at, "a"))],
  ["a visible link of old files", (at) => symlink("..data/old", join(at, "old"))],
])("writeFiles: %s that a kill has left is repaired", async (_, leave) => {
  await write({ a: "1" });
  await leave(folder);
  await write({ a: "1" });
  expect(await names()).toEqual(["a"]);
  expect(await read("a")).toBe("1");
});

test("writeFiles: folders for other mounts stay", async () => {
  await mkdir(join(folder, "nested"));
  await write({ a: "1" });
  await write({ b: "1" });
  expect(await names()).toEqual(["b", "nested"]);
  expect((await lstat(join(folder, "nested"))).isDirectory()).toBe(true);
});

test("writeFiles: nothing changes if a path is invalid", async () => {
  await write({ a: "1" });
  await writeFile(join(folder, "..data", "mark"), "");
  await expect(write({ a: "2", "../b": "1" })).rejects.toThrow(
    "invalid path: must not contain '..': ../b",
  );
  expect(await read("a")).toBe("1");
});

each<[path: string, problem: string | undefined]>([
  ["a", undefined],
  ["a/b..c/..d", undefined],
  ["", 'invalid path: must not be empty: ""'],
  ["/a", "invalid path: must be relative path: /a"],
  ["a/../b", "invalid path: must not contain '..': a/../b"],
  ["..a", "invalid path: must not start with '..': ..a"],
  ["a".repeat(256), "invalid path: filenames must be less than or equal to 255 characters"],
  ["a/".repeat(2049), "invalid path: must be less than or equal to 4096 characters"],
])("pathProblem: %s", (path, problem) => {
  expect(pathProblem(path)).toBe(problem);
});
