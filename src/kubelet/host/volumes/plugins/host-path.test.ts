import { mkdir, mkdtemp, rm, stat, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { each } from "../../../../../test/each.ts";
import type { VolumeRequest } from "../volume-plugin.ts";
import { hostPathPlugin } from "./host-path.ts";

const setUp = (path: string, type: string | undefined) =>
  hostPathPlugin.setUp({
    volume: {
      name: "v",
      source: { hostPath: { path, type } },
      readOnly: false,
      mode: "Filesystem",
    },
  } as unknown as VolumeRequest);

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "wherry-host-path-"));
  onTestFinished(() => rm(path, { recursive: true }));
  await mkdir(join(path, "dir"));
  await writeFile(join(path, "file"), "");
  await symlink("dir", join(path, "link"));
  const server = createServer().listen(join(path, "socket"));
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  return path;
}

each<[type: string, accepted: readonly string[], text: string]>([
  ["Directory", ["dir", "link"], "directory"],
  ["File", ["file"], "file"],
  ["Socket", ["socket"], "socket file"],
  ["CharDevice", ["/dev/null"], "character device"],
  ["BlockDevice", [], "block device"],
])("hostPath: %s accepts %j", async (type, accepted, text) => {
  const root = await folder();
  for (const name of ["dir", "file", "link", "socket", "missing", "/dev/null"]) {
    const path = name.startsWith("/") ? name : join(root, name);
    const outcome = setUp(path, type);
    if (accepted.includes(name)) expect((await outcome).path).toBe(path);
    else
      await expect(outcome).rejects.toThrow(`hostPath type check failed: ${path} is not a ${text}`);
  }
});

test("hostPath: what is missing is created if the type says so", async () => {
  const root = await folder();
  await setUp(join(root, "a/b"), "DirectoryOrCreate");
  expect((await stat(join(root, "a/b"))).mode & 0o777).toBe(0o755);
  await setUp(join(root, "f"), "FileOrCreate");
  expect((await stat(join(root, "f"))).isFile()).toBe(true);
  await expect(setUp(join(root, "file"), "DirectoryOrCreate")).rejects.toThrow(
    "is not a directory",
  );
  await expect(setUp(join(root, "none/f"), "FileOrCreate")).rejects.toThrow("ENOENT");
});

test("hostPath: without a type anything goes, even nothing", async () => {
  const root = await folder();
  expect((await setUp(join(root, "missing"), undefined)).path).toBe(join(root, "missing"));
  await expect(setUp("/a/../b", "")).rejects.toThrow(
    "invalid HostPath `/a/../b`: must not contain '..'",
  );
  await expect(setUp(root, "Tape")).rejects.toThrow("Tape is an invalid volume type");
});
