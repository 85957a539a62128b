import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import type { ContainerMount } from "../../../cri/linux-types.ts";
import { mountOf, parseMountInfo } from "../../../platform/mount-info.ts";
import { mountsOf } from "./mounts-of.ts";

const mounts = parseMountInfo(
  [
    "27 1 8:1 / / rw,relatime - ext4 /dev/root rw",
    "30 27 0:30 / /shared rw shared:7 - tmpfs tmpfs rw",
    "31 27 0:31 / /slave rw master:7 - tmpfs tmpfs rw",
    "32 30 0:32 / /shared/with\\040space rw - tmpfs tmpfs rw",
    "33 27 0:33 / /twice rw - tmpfs tmpfs rw",
    "34 33 0:34 / /twice rw shared:9 master:7 - ext4 /dev/x rw",
    "",
  ].join("\n"),
);

each<[ContainerMount, options: readonly string[]]>([
  [{ containerPath: "/c", hostPath: "/h" }, ["rbind", "rprivate", "rw"]],
  [{ containerPath: "/c", hostPath: "/h", readonly: true }, ["rbind", "rprivate", "ro"]],
  [
    { containerPath: "/c", hostPath: "/h", readonly: true, recursiveReadOnly: true },
    ["rbind", "rprivate", "rro"],
  ],
  [
    { containerPath: "/c", hostPath: "/shared/a", propagation: "bidirectional" },
    ["rbind", "rshared", "rw"],
  ],
  [
    { containerPath: "/c", hostPath: "/slave", propagation: "hostToContainer" },
    ["rbind", "rslave", "rw"],
  ],
  [
    { containerPath: "/c", hostPath: "/shared", propagation: "hostToContainer", readonly: true },
    ["rbind", "rslave", "ro"],
  ],
])("mountsOf: %j", (mount, options) => {
  expect(mountsOf([mount], { mounts, recursiveReadOnly: true })).toEqual([
    { type: "bind", source: mount.hostPath, destination: "/c", options },
  ]);
});

test("mountsOf: files have the owners for the users of a pod that they have on disk", () => {
  const uidMappings = [{ containerId: 0, hostId: 65_536, length: 65_536 }];
  const gidMappings = [{ containerId: 0, hostId: 131_072, length: 65_536 }];
  const mount = { containerPath: "/c", hostPath: "/h" };
  const host = { mounts, recursiveReadOnly: true };
  expect(mountsOf([{ ...mount, uidMappings, gidMappings }], host)).toMatchObject([
    {
      idMappings: {
        uidMappings: [{ containerID: 0, hostID: 65_536, size: 65_536 }],
        gidMappings: [{ containerID: 0, hostID: 131_072, size: 65_536 }],
      },
    },
  ]);
  expect(() => mountsOf([{ ...mount, uidMappings }], host)).toThrow(
    'mappings of users and of groups are needed (hostPath="/h")',
  );
});

each<[Partial<ContainerMount>, message: string]>([
  [
    { hostPath: "/h", propagation: "bidirectional" },
    'path "/h" is mounted on "/" but it is not a shared mount',
  ],
  [
    { hostPath: "/slave/x", propagation: "bidirectional" },
    'path "/slave/x" is mounted on "/slave" but it is not a shared mount',
  ],
  [
    { hostPath: "/h", propagation: "hostToContainer" },
    'path "/h" is mounted on "/" but it is not a shared or slave mount',
  ],
  [
    { hostPath: "/h", recursiveReadOnly: true },
    'recursive read-only mount conflicts with RW mount (hostPath="/h")',
  ],
  [
    { hostPath: "/h", readonly: true, recursiveReadOnly: true },
    'RROUnsupported: runtime handler does not support recursive read-only mounts (hostPath="/h")',
  ],
])("mountsOf: rejects %j", (mount, message) => {
  const whole = { containerPath: "/c", hostPath: "/h", ...mount };
  expect(() => mountsOf([whole], { mounts, recursiveReadOnly: false })).toThrow(message);
});

each<[ContainerMount, message: string]>([
  [
    {
      containerPath: "/c",
      hostPath: "/shared",
      readonly: true,
      recursiveReadOnly: true,
      propagation: "bidirectional",
    },
    'recursive read-only mount needs private propagation, got "PROPAGATION_BIDIRECTIONAL" (hostPath="/shared")',
  ],
])("mountsOf: rejects %j where trees can be read-only", (mount, message) => {
  expect(() => mountsOf([mount], { mounts, recursiveReadOnly: true })).toThrow(message);
});

each<[path: string, mountpoint: string, type: string]>([
  ["/", "/", "ext4"],
  ["/sharedother", "/", "ext4"],
  ["/shared/with space/a", "/shared/with space", "tmpfs"],
  ["/twice/a", "/twice", "ext4"],
])("mountOf: %s", (path, mountpoint, type) => {
  expect(mountOf(path, mounts)).toMatchObject({ mountpoint, type });
});
