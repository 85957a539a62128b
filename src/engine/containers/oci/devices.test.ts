import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { describeWith, requires } from "../../../../test/requires.ts";
import { allDevices, deviceNumbers, requestedDevices } from "./devices.ts";

each<[rdev: bigint, major: number, minor: number]>([
  [0x103n, 1, 3],
  [0x88ffn, 136, 255],
  [0x12300000n + 0x800n, 8, 0x12300],
  [0x0000100000000000n + 0x100n, 0x1001, 0],
])("deviceNumbers: %d", (rdev, major, minor) => {
  expect(deviceNumbers(rdev)).toEqual({ major, minor });
});

describeWith(requires("containers"))("devices of the node", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "wherry-devices-"));
    for (const path of ["sub", "pts", "shm"]) mkdirSync(join(folder, path));
    node("zero", "666", "c", 1, 5);
    node("console", "600", "c", 5, 1);
    node("sub/loop", "640", "b", 7, 300);
    node("pts/0", "620", "c", 136, 0);
    execFileSync("mkfifo", [join(folder, "pipe")]);
    writeFileSync(join(folder, "file"), "");
    symlinkSync("zero", join(folder, "link"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  function node(path: string, mode: string, ...numbers: (string | number)[]): void {
    execFileSync("mknod", ["-m", mode, join(folder, path), ...numbers.map(String)]);
  }

  const zero = { type: "c", major: 1, minor: 5, fileMode: 0o666, uid: 0, gid: 0 };
  const loop = { type: "b", major: 7, minor: 300, fileMode: 0o640, uid: 0, gid: 0 };

  test("allDevices: all but consoles, terminals and what is no device", async () => {
    const devices = await allDevices(folder);
    expect(devices.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
      { ...loop, path: join(folder, "sub/loop"), access: "rwm" },
      { ...zero, path: join(folder, "zero"), access: "rwm" },
    ]);
  });

  test("requestedDevices: links are followed, and a folder is all of its devices", async () => {
    const request = (
      hostPath: string,
      containerPath: string,
    ): Parameters<typeof requestedDevices>[0][0] => ({
      hostPath: join(folder, hostPath),
      containerPath,
      permissions: "rw",
    });
    expect(await requestedDevices([request("link", "/dev/a"), request("sub", "/dev/b")])).toEqual([
      { ...zero, path: "/dev/a", access: "rw" },
      { ...loop, path: "/dev/b/loop", access: "rw" },
    ]);
    await expect(requestedDevices([request("missing", "/dev/a")])).rejects.toThrow(
      `lstat ${folder}/missing: no such file or directory`,
    );
    await expect(requestedDevices([request("file", "/dev/a")])).rejects.toThrow(
      `get device path: "${folder}/file" containerPath: "/dev/a" error: not a device node`,
    );
  });
});
