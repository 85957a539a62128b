import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { volumeFile } from "./volume-file.ts";

test("volumeFile: reads files of the volume alone", async () => {
  const folder = await mkdtemp(join(tmpdir(), "volume-file-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "f"), "A='1'\n");
  await symlink("/etc/passwd", join(folder, "l"));
  const file = volumeFile(folder, "f");
  expect([file.path, await file.text()]).toEqual([join(folder, "f"), "A='1'\n"]);
  await expect(volumeFile(folder, "l").text()).rejects.toThrow("outside of the volume");
  await expect(volumeFile(folder, "none").text()).rejects.toThrow("ENOENT");
});
