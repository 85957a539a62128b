import { expect, test } from "vitest";
import { type MachineFiles, mountTable, planMounts } from "./plan-mounts.ts";

const machine: MachineFiles = {
  top: new Map([
    ["bin", "usr/bin"],
    ["lib", "usr/lib"],
    ...["usr", "etc", "home", "root", "var", "boot"].map((name) => [name, undefined] as const),
  ]),
  mountPoints: ["/", "/proc", "/sys", "/sys/fs/cgroup", "/sys/fs/cgroup/memory", "/dev"],
  keep: [],
};

const targets = (files: Partial<MachineFiles>): readonly string[] =>
  planMounts({ ...machine, ...files }, "/box/resolv.conf").mounts.map(({ target }) => target);

test("planMounts: programs are the machine's, by overlays and links; all else is the box's", () => {
  const { overlays, links, files } = planMounts(machine, "/box/resolv.conf");
  expect({ overlays, links, files }).toEqual({
    overlays: ["usr", "etc"],
    links: [
      ["bin", "usr/bin"],
      ["lib", "usr/lib"],
    ],
    files: [],
  });
  expect(targets({})).toEqual([
    ...["/proc", "/sys", "/sys/fs/cgroup", "/dev", "/run", "/etc/resolv.conf"],
  ]);
});

test("planMounts: what is mounted below programs is there, but each mount once", () => {
  const mountPoints = ["/usr", "/usr/local", "/usr/local/share", "/home/me", "/dev/shm"];
  expect(targets({ mountPoints })).toEqual([
    ...["/proc", "/sys", "/dev", "/dev/shm", "/run", "/usr/local", "/etc/resolv.conf"],
  ]);
});

test("planMounts: kept paths are mounted, parents first, unless they are below programs", () => {
  const kept = (path: string, isFolder: boolean) => ({ path, isFolder });
  const keep = [
    kept("/root/.local/data/pki", true),
    kept("/root/.local/data", true),
    kept("/usr/bin/node", false),
    kept("/bin/node", false),
    kept("/etc/wherry.yaml", false),
    kept("/home/me/node", false),
  ];
  const { mounts, folders, files } = planMounts({ ...machine, keep }, "/box/resolv.conf");
  const binds = mounts.slice(5).map(({ target, options }) => [target, options]);
  expect(binds).toEqual([
    ["/etc/wherry.yaml", "bind"],
    ["/home/me/node", "bind"],
    ["/root/.local/data", "bind,X-mount.mkdir"],
    ["/root/.local/data/pki", "bind,X-mount.mkdir"],
    ["/etc/resolv.conf", "bind"],
  ]);
  // The one in /etc is in the overlay already.
  expect(folders).toEqual(["/root/.local/data", "/root/.local/data/pki"]);
  expect(files).toEqual(["/home/me/node"]);
});

test("mountTable: paths may hold anything", () => {
  const path = "/root/my data\\#1";
  const mounts = [{ source: path, target: path, type: "none", options: "bind" }];
  expect(mountTable(mounts, "root")).toBe(
    "/root/my\\040data\\134\\0431 root/root/my\\040data\\134\\0431 none bind 0 0\n",
  );
});
