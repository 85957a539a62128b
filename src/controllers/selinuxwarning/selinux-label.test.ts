import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { labelOf, labelsConflict, mountLabels } from "./selinux-label.ts";

test("labelOf: four parts, or nothing", () => {
  expect(labelOf({ type: "t", level: "s0:c1,c2" })).toBe("::t:s0:c1,c2");
  expect([labelOf({}), labelOf(undefined)]).toEqual(["", ""]);
});

each<[string, string, boolean]>([
  ["u:r:t:s0:c1", "u:r:t:s0:c1", false],
  ["u:r:t:s0:c1", ":::s0:c1", false],
  ["u:r:t:s0:c1", "v:r:t:s0:c1", true],
  ["u:r:t:s0:c1", ":::s0:c2", true],
  ["", ":::s0:c1", true],
  ["u:r:t:", "", false],
  ["", "", false],
])("labelsConflict: %j and %j: %s", (a, b, wanted) => {
  expect([labelsConflict(a, b), labelsConflict(b, a)]).toEqual([wanted, wanted]);
});

test("mountLabels: of all containers that mount a volume, with what the pod has for those that say nothing", () => {
  const mounts = (...names: string[]) => names.map((name) => ({ name, mountPath: `/${name}` }));
  const pod = {
    spec: {
      securityContext: { seLinuxOptions: { level: "s0:c1" } },
      initContainers: [
        {
          volumeMounts: mounts("a"),
          securityContext: { seLinuxOptions: { level: "s0:c2" } },
        },
      ],
      containers: [{ volumeMounts: mounts("a", "b") }, { volumeMounts: mounts("b") }],
    },
  } as unknown as Pod;
  const shown = [...mountLabels(pod)].map(([name, labels]) => [name, [...labels].sort()]);
  expect(shown).toEqual([
    ["a", [":::s0:c1", ":::s0:c2"]],
    ["b", [":::s0:c1"]],
  ]);
});
