import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { watchFolder } from "./watch-folder.ts";

test("watchFolder: names what changes; a folder that does not exist is an error", async () => {
  const folder = mkdtempSync(join(tmpdir(), "watch-folder-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const names: (string | undefined)[] = [];
  const watcher = watchFolder(folder, (name) => names.push(name));
  onTestFinished(() => watcher.close());
  writeFileSync(join(folder, "a"), "");
  await expect.poll(() => names).toContain("a");
  expect(() => watchFolder(join(folder, "none"), () => {})).toThrow("ENOENT");
});
