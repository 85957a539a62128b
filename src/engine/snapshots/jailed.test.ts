import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import { describeWith, requires } from "../../../test/requires.ts";
import { testTar } from "./layer-archive.test-support.ts";
import { packTar } from "./pack-tar.ts";
import type { TarRewriter } from "./tar/tar-transform.ts";
import { unpackTar } from "./unpack-tar.ts";

/** As if nothing had been resolved: so it is when a container makes a link right after that. */
const unresolved: TarRewriter = { rewrite: (entry) => [entry] };

describeWith(requires("containers"))("jailed", () => {
  let folder: string;
  let root: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "jailed-tar-"));
    root = join(folder, "root");
    await mkdir(join(folder, "outside"));
    await mkdir(root);
    await writeFile(join(folder, "outside/secret"), "secret");
    await symlink(join(folder, "outside"), join(root, "absolute"));
    await symlink("../outside", join(root, "relative"));
    await symlink("/usr", join(root, "programs"));
  });

  afterEach(() => rm(folder, { recursive: true }));

  const unpack = (name: string): Promise<void> => {
    const archive = Readable.from([testTar([{ name, data: "new" }])]);
    return unpackTar(root, archive, { rewriter: unresolved, isShared: true });
  };

  test("does not write outside of the root, whatever links it follows", async () => {
    for (const link of ["absolute", "relative", "programs"])
      await expect(unpack(`./${link}/new-file`)).rejects.toThrow(
        /No such file|Read-only|Not a dir/,
      );
    expect(await readdir(join(folder, "outside"))).toEqual(["secret"]);
    expect(await readdir("/usr")).not.toContain("new-file");
    await unpack("./inside");
    expect(await readFile(join(root, "inside"), "utf8")).toBe("new");
  });

  test("does not read outside of the root", async () => {
    for (const link of ["absolute", "relative"]) {
      const archive = packTar(join(root, link), {
        name: ".",
        rewriter: unresolved,
        sharedRoot: root,
      });
      await expect(archive.toArray()).rejects.toThrow("No such file");
    }
  });
});
