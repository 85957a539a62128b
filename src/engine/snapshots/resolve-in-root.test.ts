import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { resolveInRoot } from "./resolve-in-root.ts";

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "resolve-"));
  await mkdir(join(root, "etc"));
  await writeFile(join(root, "etc/passwd"), "");
  await symlink("/etc", join(root, "absolute"));
  await symlink("../../../../../../etc/passwd", join(root, "relative"));
  await symlink("loop", join(root, "loop"));
});

afterEach(() => rm(root, { recursive: true }));

test("resolveInRoot: links lead to places in the root, existing or not", async () => {
  expect(await resolveInRoot(root, "/etc/passwd")).toBe(join(root, "etc/passwd"));
  expect(await resolveInRoot(root, "absolute/passwd")).toBe(join(root, "etc/passwd"));
  expect(await resolveInRoot(root, "relative")).toBe(join(root, "etc/passwd"));
  expect(await resolveInRoot(root, "/../../absolute/new/file")).toBe(join(root, "etc/new/file"));
  expect(await resolveInRoot(root, "etc/passwd/x")).toBe(join(root, "etc/passwd/x"));
  expect(await resolveInRoot(root, "relative", { followsLast: false })).toBe(
    join(root, "relative"),
  );
  await expect(resolveInRoot(root, "loop")).rejects.toThrow("too many levels");
});
