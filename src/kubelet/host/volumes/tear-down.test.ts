import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { requires, testWith } from "../../../../test/requires.ts";
import { mustRun } from "../../../platform/run-child.ts";
import { openVolumes } from "./volumes.test-support.ts";

const test = testWith(requires("root"));

test("tearDown: files of others are never removed: neither behind links nor behind mounts", async () => {
  const world = await openVolumes();
  const pod = await world.pod([
    { name: "e", emptyDir: {} },
    { name: "s", secret: { secretName: "s", optional: true } },
  ]);
  const { uid = "" } = pod.metadata;
  const { e = "", s = "" } = await world.setUp(pod);
  const kept = join(world.root, "kept");
  await mkdir(kept);
  await writeFile(join(kept, "file"), "kept");
  await symlink(kept, join(e, "link"));
  for (const folder of [e, s]) {
    await mkdir(join(folder, "dir/mounted"), { recursive: true });
    // As a privileged container may do by mounts that propagate.
    await mustRun("mount", ["--bind", kept, join(folder, "dir/mounted")]);
  }
  await world.volumes.tearDown(uid);
  expect(await readFile(join(kept, "file"), "utf8")).toBe("kept");
  expect(await world.volumes.podUids()).toEqual([]);
});

test("tearDown: while something cannot be unmounted, nothing is removed", async () => {
  const world = await openVolumes();
  const pod = await world.pod([
    { name: "e", emptyDir: {} },
    { name: "r", emptyDir: { medium: "Memory" } },
  ]);
  const { uid = "" } = pod.metadata;
  const { e = "" } = await world.setUp(pod);
  const kept = join(world.root, "kept");
  await mkdir(kept);
  await writeFile(join(kept, "file"), "kept");
  await mkdir(join(e, "mounted"));
  await mustRun("mount", ["--bind", kept, join(e, "mounted")]);
  const busy = spawn("sleep", ["1000"], { cwd: join(e, "mounted"), stdio: "ignore" });
  onTestFinished(() => void busy.kill());
  await once(busy, "spawn");
  await expect(world.volumes.tearDown(uid)).rejects.toThrow("unmount failed: umount: ");
  expect(await readFile(join(kept, "file"), "utf8")).toBe("kept");
  expect(await readdir(e)).toEqual(["mounted"]);
  busy.kill();
  await once(busy, "exit");
  await world.volumes.tearDown(uid);
  expect(await readFile(join(kept, "file"), "utf8")).toBe("kept");
  expect(await world.volumes.podUids()).toEqual([]);
});

test("tearDown: memory that somebody still uses is detached", async () => {
  const world = await openVolumes();
  const pod = await world.pod([{ name: "r", emptyDir: { medium: "Memory" } }]);
  const { r = "" } = await world.setUp(pod);
  const busy = spawn("sleep", ["1000"], { cwd: r, stdio: "ignore" });
  onTestFinished(() => void busy.kill());
  await once(busy, "spawn");
  await world.volumes.tearDown(pod.metadata.uid ?? "");
  expect(await world.mounted()).not.toContain(r);
});

test("tearDown: removes names that are no text, and paths that are too long", async () => {
  const world = await openVolumes();
  const pod = await world.pod([{ name: "e", emptyDir: {} }]);
  const { e = "" } = await world.setUp(pod);
  await writeFile(Buffer.concat([Buffer.from(join(e, "x")), Buffer.from([0xff])]), "");
  const deep = Array(10).fill("d".repeat(250)).join("/");
  for (const name of ["a", "b"]) await mkdir(join(e, name, deep), { recursive: true });
  await rename(join(e, "b"), join(e, "a", deep, "b"));
  await world.volumes.tearDown(pod.metadata.uid ?? "");
  expect(await world.volumes.podUids()).toEqual([]);
});

test("usage: counts what a pod has written to its volumes", async () => {
  const world = await openVolumes();
  const pod = await world.pod([
    { name: "e", emptyDir: {} },
    { name: "r", emptyDir: { medium: "Memory", sizeLimit: "8Mi" } },
    { name: "h", hostPath: { path: "/etc" } },
  ]);
  const { uid = "" } = pod.metadata;
  const { e = "", r = "" } = await world.setUp(pod);
  for (const folder of [e, r]) await writeFile(join(folder, "file"), Buffer.alloc(100_000, 1));
  const usage = await world.volumes.usage(uid);
  expect([...usage.keys()]).toEqual(["e", "r"]);
  for (const name of ["e", "r"]) {
    const { usedBytes = 0, inodesUsed } = usage.get(name) ?? {};
    expect(usedBytes).toBeGreaterThanOrEqual(100_000);
    expect(usedBytes).toBeLessThan(120_000);
    expect(inodesUsed).toBe(2);
  }
  expect(usage.get("r")?.capacityBytes).toBe(8 << 20);
  await world.volumes.tearDown(uid);
  expect((await world.volumes.usage(uid)).size).toBe(0);
});
