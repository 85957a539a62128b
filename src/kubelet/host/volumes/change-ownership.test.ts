import { chmod, lchown, lstat, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { requires, testWith } from "../../../../test/requires.ts";
import { changeOwnership } from "./change-ownership.ts";

const test = testWith(requires("root"));

async function volume(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "wherry-ownership-"));
  onTestFinished(() => rm(root, { recursive: true }));
  await mkdir(join(root, "v/dir"), { recursive: true });
  await writeFile(join(root, "v/dir/file"), "", { mode: 0o600 });
  await writeFile(join(root, "v/program"), "", { mode: 0o700 });
  await writeFile(Buffer.concat([Buffer.from(join(root, "v/dir/")), Buffer.from([0xff])]), "");
  await writeFile(join(root, "outside"), "", { mode: 0o600 });
  await symlink("../outside", join(root, "v/link"));
  return join(root, "v");
}

const shown = async (path: string): Promise<string> => {
  const { mode, gid } = await lstat(path);
  return `${(mode & 0o7777).toString(8)} ${gid}`;
};

test("changeOwnership: the group may read and write, new files inherit it, links are left alone", async () => {
  const folder = await volume();
  await changeOwnership({ folder, fsGroup: 2000, isReadOnly: false, onRootMismatch: false });
  expect(await shown(folder)).toBe("2775 2000");
  expect(await shown(join(folder, "dir"))).toBe("2775 2000");
  expect(await shown(join(folder, "dir/file"))).toBe("660 2000");
  expect(await shown(join(folder, "program"))).toBe("760 2000");
  expect(await shown(join(folder, "../outside"))).toBe("600 0");
  await writeFile(join(folder, "dir/new"), "");
  expect((await lstat(join(folder, "dir/new"))).gid).toBe(2000);
});

test("changeOwnership: the group of a read-only volume may only read", async () => {
  const folder = await volume();
  await changeOwnership({ folder, fsGroup: 2000, isReadOnly: true, onRootMismatch: false });
  expect(await shown(join(folder, "dir/file"))).toBe("640 2000");
});

test("changeOwnership: on a mismatch of the root only, a right root means that nothing is done", async () => {
  const folder = await volume();
  const change = () =>
    changeOwnership({ folder, fsGroup: 2000, isReadOnly: false, onRootMismatch: true });
  await lchown(folder, -1, 2000);
  await chmod(folder, 0o2770);
  await change();
  expect(await shown(join(folder, "dir/file"))).toBe("600 0");
  await chmod(folder, 0o770);
  await change();
  expect(await shown(folder)).toBe("2770 2000");
  expect(await shown(join(folder, "dir/file"))).toBe("660 2000");
});
