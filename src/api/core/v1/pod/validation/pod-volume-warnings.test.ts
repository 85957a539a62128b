import { expect, test } from "vitest";
import { each } from "../../../../../../test/each.ts";
import { At } from "../../../../../schema/language/report.ts";
import { podOf } from "../pod.test-support.ts";
import { warnOfOverlaps, warnOfVolumes } from "./pod-volume-warnings.ts";

const volumesOf = (...volumes: object[]) =>
  podOf({ spec: { volumes: volumes.map((volume) => ({ name: "v", ...volume })) } }).spec.volumes ??
  [];
const items = (...paths: string[]) => paths.map((path) => ({ key: "k", path }));

test("warnOfVolumes: volumes that no longer work are named", () => {
  const volumes = volumesOf(
    { gitRepo: { repository: "r" } },
    { emptyDir: {} },
    { storageos: { volumeName: "s" } },
    { rbd: { monitors: [], image: "i" } },
    {
      ephemeral: {
        volumeClaimTemplate: { spec: { resources: { requests: { storage: "100m" } } } },
      },
    },
  );
  const told: string[] = [];
  warnOfVolumes(volumes, At.root().child("volumes"), told);
  expect(told).toEqual([
    "volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+",
    "volumes[2].storageOS: deprecated in v1.22, non-functional in v1.25+",
    "volumes[3].rbd: deprecated in v1.28, non-functional in v1.31+",
    'volumes[4].ephemeral.volumeClaimTemplate.spec.resources.requests[storage]: fractional byte value "100m" is invalid, must be an integer',
  ]);
});

each<[string, object, readonly string[]]>([
  ["different paths are fine", { configMap: { name: "m", items: items("a", "ab") } }, []],
  [
    "the same twice is not",
    { configMap: { name: "m", items: items("a", "a/") } },
    ['volume "v" (ConfigMap "m"): overlapping paths: "a" with "a"'],
  ],
  [
    "nor one below another",
    { secret: { secretName: "s", items: items("a/b", "a") } },
    ['volume "v" (Secret "s"): overlapping paths: "a" with "a/b"'],
  ],
  [
    "sources of one volume overlap too",
    {
      projected: {
        sources: [
          { secret: { name: "s", items: items("token") } },
          { serviceAccountToken: { path: "token" } },
          {},
        ],
      },
    },
    [
      'volume "v" (Projected): overlapping paths: "token" (ServiceAccountToken) with "token" (Secret "s")',
      'volume "v" (Projected) has no sources provided',
    ],
  ],
])("warnOfOverlaps: %s", (_, volume, expected) => {
  const told: string[] = [];
  warnOfOverlaps(volumesOf(volume), told);
  expect(told).toEqual(expected);
});
