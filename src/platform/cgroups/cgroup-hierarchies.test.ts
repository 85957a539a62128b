import { expect, test } from "vitest";
import { findHierarchies } from "./cgroup-hierarchies.ts";

const line = (folder: string, type: string, options: string): string =>
  `30 25 0:26 / ${folder} rw,nosuid shared:9 - ${type} ${type} ${options}`;

test("findHierarchies: version 1, with several controllers in one hierarchy", () => {
  const found = findHierarchies(
    [
      "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,memory",
      line("/sys/fs/cgroup/systemd", "cgroup", "rw,name=systemd"),
      line("/sys/fs/cgroup/cpu,cpuacct", "cgroup", "rw,cpu,cpuacct"),
      line("/sys/fs/cgroup/memory", "cgroup", "rw,memory"),
      line("/elsewhere/memory", "cgroup", "rw,memory"),
      "",
    ].join("\n"),
  );
  expect(found).toEqual({
    version: "v1",
    controllers: new Map([
      ["cpu", "/sys/fs/cgroup/cpu,cpuacct"],
      ["cpuacct", "/sys/fs/cgroup/cpu,cpuacct"],
      ["memory", "/sys/fs/cgroup/memory"],
    ]),
    unified: undefined,
    all: [
      "/sys/fs/cgroup/systemd",
      "/sys/fs/cgroup/cpu,cpuacct",
      "/sys/fs/cgroup/memory",
      "/elsewhere/memory",
    ],
  });
});

test("findHierarchies: hybrid, version 2, none", () => {
  const memory = line("/sys/fs/cgroup/memory", "cgroup", "rw,memory");
  const unified = line("/sys/fs/cgroup/unified", "cgroup2", "rw,nsdelegate");
  expect(findHierarchies(`${memory}\n${unified}\n`)).toMatchObject({
    version: "hybrid",
    unified: "/sys/fs/cgroup/unified",
  });
  const only = line("/sys/fs/cgroup", "cgroup2", "rw");
  expect(findHierarchies(only)).toEqual({
    version: "v2",
    controllers: new Map(),
    unified: "/sys/fs/cgroup",
    all: ["/sys/fs/cgroup"],
  });
  expect(findHierarchies("27 1 254:0 / / rw - ext4 /dev/vda rw")).toBeUndefined();
});
