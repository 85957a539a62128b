import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { describeWith, requires } from "../../../test/requires.ts";
import { type TestEntry, testTar } from "./layer-archive.test-support.ts";
import { packFromRoot, packRoot, statInRoot, unpackIntoRoot } from "./root-archive.ts";
import { TarReader } from "./tar/tar-reader.ts";

describeWith(requires("containers"))("archives of a root", () => {
  let folder: string;
  let root: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "root-archive-"));
    root = join(folder, "root");
    await mkdir(join(root, "etc/conf.d"), { recursive: true });
    await mkdir(join(folder, "outside"));
    await writeFile(join(folder, "outside/secret"), "secret");
    await writeFile(join(root, "etc/hosts"), "hosts");
    await writeFile(join(root, "etc/conf.d/ä"), "conf");
    await chmod(join(root, "etc/hosts"), 0o4755);
    await symlink("/etc", join(root, "absolute"));
    await symlink("../../../../../../../../etc", join(root, "far"));
    await symlink(join(folder, "outside"), join(root, "out"));
    await symlink("hosts", join(root, "etc/link"));
  });

  afterEach(() => rm(folder, { recursive: true }));

  const outside = (): Promise<string[]> => readdir(join(folder, "outside"));

  const put = (path: string, entries: readonly TestEntry[], keepsFolders = true) =>
    unpackIntoRoot(root, path, { archive: Readable.from([testTar(entries)]), keepsFolders });

  each<[path: string, name: string, mode: number, linkTarget: string]>([
    ["/etc/hosts", "hosts", 8389101, ""],
    ["etc", "etc", 2147484141, ""],
    ["/etc/link", "link", 134218239, "/etc/hosts"],
    ["/absolute", "absolute", 134218239, "/etc"],
    ["/absolute/", "absolute", 2147484141, ""],
    ["/absolute/.", ".", 2147484141, ""],
    ["/far/hosts", "hosts", 8389101, ""],
    ["/", "/", 2147484141, ""],
  ])("statInRoot: %s", async (path, name, mode, linkTarget) => {
    expect(await statInRoot(root, path)).toMatchObject({ name, mode, linkTarget });
  });

  each<[path: string]>([["/none"], ["/etc/hosts/"], ["/etc/hosts/x"], ["/out/secret"], ["/out/"]])(
    "statInRoot: %s does not exist",
    async (path) => {
      expect(await statInRoot(root, path)).toBeUndefined();
      expect(await packFromRoot(root, path)).toBeUndefined();
    },
  );

  each<[path: string, names: readonly string[]]>([
    ["/etc/hosts", ["hosts"]],
    ["/etc/link", ["link"]],
    ["/far/hosts", ["hosts"]],
    ["/etc", ["etc/", "etc/conf.d/", "etc/conf.d/ä", "etc/hosts", "etc/link"]],
    [
      "/absolute/",
      ["absolute/", "absolute/conf.d/", "absolute/conf.d/ä", "absolute/hosts", "absolute/link"],
    ],
    ["/etc/conf.d/.", ["./", "./ä"]],
    [
      "/",
      [
        "/",
        "/absolute",
        "/etc/",
        "/etc/conf.d/",
        "/etc/conf.d/ä",
        "/etc/hosts",
        "/etc/link",
        "/far",
        "/out",
      ],
    ],
  ])("packFromRoot: %s", async (path, names) => {
    const archive = await packFromRoot(root, path);
    expect(namesIn(Buffer.concat((await archive?.toArray()) ?? []))).toEqual(names);
  });

  test("packRoot: names are relative, as docker export has them", async () => {
    const names = namesIn(Buffer.concat(await packRoot(root).toArray()));
    expect(names.slice(0, 3)).toEqual(["absolute", "etc/", "etc/conf.d/"]);
  });

  test("unpackIntoRoot: files keep owner and mode, links of the root are followed inside it", async () => {
    expect(
      await put("/absolute", [
        { name: "new/file", data: "new", uid: 7, gid: 8, mode: 0o4711 },
        { name: "hosts", data: "replaced" },
      ]),
    ).toBe("unpacked");
    expect(await readFile(join(root, "etc/hosts"), "utf8")).toBe("replaced");
    const { uid, gid, mode } = await stat(join(root, "etc/new/file"));
    expect([uid, gid, mode & 0o7777]).toEqual([7, 8, 0o4711]);
    expect((await stat(join(root, "etc/new"))).mode & 0o777).toBe(0o755);
  });

  test("unpackIntoRoot: an owner replaces those of the archive", async () => {
    const archive = Readable.from([testTar([{ name: "a/b", uid: 7 }])]);
    await unpackIntoRoot(root, "/", { archive, keepsFolders: true, owner: { uid: 5, gid: 6 } });
    expect(await stat(join(root, "a/b"))).toMatchObject({ uid: 5, gid: 6 });
    expect(await stat(join(root, "a"))).toMatchObject({ uid: 5, gid: 6 });
  });

  test("unpackIntoRoot: a folder that is missing, or none", async () => {
    expect(await put("/none", [])).toBe("missing");
    expect(await put("/etc/hosts", [])).toBe("not a directory");
    expect(await put("/out", [])).toBe("missing");
  });

  test("unpackIntoRoot: existing links do not lead out", async () => {
    await put("/", [
      { name: "out/secret", data: "changed" },
      { name: "far/passwd", data: "inside" },
    ]);
    expect(await readFile(join(folder, "outside/secret"), "utf8")).toBe("secret");
    expect(await readFile(join(root, folder, "outside/secret"), "utf8")).toBe("changed");
    expect(await readFile(join(root, "etc/passwd"), "utf8")).toBe("inside");
  });

  test("unpackIntoRoot: links of the archive do not lead out", async () => {
    await put("/etc", [
      { name: "a", type: "symlink", linkName: join(folder, "outside") },
      { name: "b", type: "hardLink", linkName: "a" },
      { name: "a/new", data: "" },
      { name: "b/new2", data: "" },
    ]);
    expect(await outside()).toEqual(["secret"]);
    expect((await readdir(join(root, folder, "outside"))).sort()).toEqual(["new", "new2"]);
  });

  each<[entry: TestEntry, reason: string]>([
    [{ name: "../x" }, '"../x" is outside of "/etc"'],
    [{ name: "x", type: "hardLink", linkName: "../../outside/secret" }, "invalid hardlink"],
    [
      { name: "hosts/", type: "directory" },
      'cannot overwrite non-directory "/etc/hosts" with directory "/etc"',
    ],
    [
      { name: "conf.d", data: "" },
      'cannot overwrite directory "/etc/conf.d" with non-directory "/etc"',
    ],
  ])("unpackIntoRoot: refuses %o", async (entry, reason) => {
    await expect(put("/etc", [entry])).rejects.toThrow(reason);
    expect(await outside()).toEqual(["secret"]);
  });

  test("unpackIntoRoot: a folder and a file may replace each other, unless forbidden", async () => {
    await put(
      "/etc",
      [
        { name: "conf.d", data: "file" },
        { name: "hosts/", type: "directory" },
      ],
      false,
    );
    expect(await readFile(join(root, "etc/conf.d"), "utf8")).toBe("file");
    expect((await stat(join(root, "etc/hosts"))).isDirectory()).toBe(true);
  });
});

function namesIn(tar: Buffer): string[] {
  const names: string[] = [];
  const reader = new TarReader({
    entry: ({ name }) => names.push(Buffer.from(name, "latin1").toString()),
    data: () => {},
    entryEnd: () => {},
  });
  reader.push(tar);
  reader.end();
  return names;
}
