import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import { podOf } from "../../../api/core/v1/pod/pod.test-support.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { refuseStaticResize } from "./refuse-static-resize.ts";

const podWith = (cpu: string, memory: string, limits: object = { cpu, memory }): Pod =>
  podOf({
    spec: {
      containers: [{ name: "c", image: "i", resources: { requests: { cpu, memory }, limits } }],
    },
  }) as Pod;

const static1 = { cpuManagerPolicy: "static", memoryManagerPolicy: "None" };
const static2 = { cpuManagerPolicy: "none", memoryManagerPolicy: "Static" };
const ofCpus = 'Resize is infeasible for Guaranteed Pods alongside CPU Manager policy "static"';
const ofMemory =
  'Resize is infeasible for Guaranteed Pods alongside Memory Manager policy "Static"';

each<[what: string, pod: Pod, policies: typeof static1, features: string[], why?: string]>([
  ["more CPU", podWith("2", "1Gi"), static1, [], ofCpus],
  ["more memory with static CPUs", podWith("1", "2Gi"), static1, []],
  ["more memory", podWith("1", "2Gi"), static2, [], ofMemory],
  ["more CPU with static memory", podWith("2", "1Gi"), static2, []],
  ["the same in other words", podWith("1000m", "1024Mi"), { ...static1, ...static2 }, []],
  ["a burstable pod", podWith("2", "2Gi", { cpu: "3" }), static1, []],
  ["with the feature", podWith("2", "1Gi"), static1, ["InPlacePodVerticalScalingExclusiveCPUs"]],
  [
    "with the feature for memory",
    podWith("1", "2Gi"),
    static2,
    ["InPlacePodVerticalScalingExclusiveMemory"],
  ],
])("refuseStaticResize: %s", (_, pod, configuration, features, why) => {
  const allocated = podWith("1", "1Gi").spec;
  const input = { configuration, features: new Set(features) };
  expect(refuseStaticResize(pod, allocated, input)).toBe(why);
});
