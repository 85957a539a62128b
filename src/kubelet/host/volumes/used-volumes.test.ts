import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { nestedMountPoints } from "./nested-mount-points.ts";
import { fsUserOf, usedVolumes } from "./used-volumes.ts";

const pod = (spec: object): Pod => ({ spec }) as unknown as Pod;
const mounts = (...paths: readonly [name: string, mountPath: string][]) => ({
  volumeMounts: paths.map(([name, mountPath]) => ({ name, mountPath })),
});

test("usedVolumes: containers of all kinds use volumes as folders or devices; others are left out", () => {
  const used = usedVolumes(
    pod({
      containers: [mounts(["a", "/a"])],
      initContainers: [{ volumeDevices: [{ name: "b", devicePath: "/b" }] }],
      ephemeralContainers: [mounts(["c", "/c"])],
      volumes: [{ name: "a" }, { name: "b" }, { name: "c" }, { name: "unused" }],
    }),
  );
  expect(used.map(({ volume, isMounted, isDevice }) => [volume.name, isMounted, isDevice])).toEqual(
    [
      ["a", true, false],
      ["b", false, true],
      ["c", true, false],
    ],
  );
});

each<[of: object, containers: readonly object[], user: number | undefined]>([
  [{}, [{}], undefined],
  [{ runAsUser: 1 }, [{}, {}], 1],
  [{ runAsUser: 1 }, [{ securityContext: { runAsUser: 2 } }], 2],
  [{ runAsUser: 1 }, [{}, { securityContext: { runAsUser: 2 } }], undefined],
  [{}, [{ securityContext: { runAsUser: 0 } }], 0],
  [{}, [{ securityContext: { runAsUser: 1 } }, {}], undefined],
])("fsUserOf: %j with %j", (securityContext, containers, user) => {
  expect(fsUserOf(pod({ securityContext, containers }))).toBe(user);
});

each<[paths: readonly [string, string][], points: string[]]>([
  [[["v", "/dir"]], []],
  [
    [
      ["v", "/dir"],
      ["o", "/dir/nested"],
    ],
    ["nested"],
  ],
  [
    [
      ["v", "/dir"],
      ["o", "/dir/nested"],
      ["p", "/dir/nested/deeper"],
    ],
    ["nested"],
  ],
  [
    [
      ["v", "/dir"],
      ["o", "/dir/a"],
      ["p", "/dir/a-b"],
      ["q", "/dir/a/b"],
    ],
    ["a", "a-b"],
  ],
  [
    [
      ["v", "/dir/"],
      ["o", "/dir//x/y"],
    ],
    ["x/y"],
  ],
  [
    [
      ["v", "/dir"],
      ["o", "/directory/x"],
    ],
    [],
  ],
])("nestedMountPoints: %j", (paths, points) => {
  expect(nestedMountPoints("v", pod({ containers: [mounts(...paths)] }))).toEqual(points);
});
