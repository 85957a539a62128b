import { link, mkdir, mkdtemp, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { diskUsage, diskUsageByDu } from "./disk-usage.ts";
import { mustRun } from "./run-child.ts";

test("diskUsage: counts as du does: links once, holes not at all", async () => {
  const folder = await mkdtemp(join(tmpdir(), "disk-usage-"));
  try {
    await mkdir(join(folder, "a/b"), { recursive: true });
    for (let n = 0; n < 100; n++) await writeFile(join(folder, `a/${n}`), "x".repeat(n * 100));
    await link(join(folder, "a/99"), join(folder, "a/b/again"));
    await symlink("/usr", join(folder, "a/b/usr"));
    await writeFile(join(folder, "sparse"), "");
    await truncate(join(folder, "sparse"), 1 << 30);
    const usage = await diskUsage(folder);
    expect(usage).toEqual(await diskUsageByDu(folder));
    expect(usage.inodes).toBe(105);
    expect(usage.bytes).toBeLessThan(2 << 20);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("diskUsage: a folder that does not exist takes nothing", async () => {
  expect(await diskUsage(join(tmpdir(), "does-not-exist"))).toEqual({ bytes: 0, inodes: 0 });
});

test("diskUsage: paths that are longer than the kernel takes at once", async () => {
  const folder = await mkdtemp(join(tmpdir(), "disk-usage-"));
  try {
    const name = "d".repeat(200);
    const script = `for i in $(seq 30); do mkdir ${name} && cd -P ${name} || exit 1; done; echo x > f`;
    await mustRun("bash", ["-c", script], { cwd: folder });
    expect(await diskUsage(folder)).toMatchObject({ inodes: 32 });
  } finally {
    await mustRun("rm", ["-rf", folder]);
  }
});
