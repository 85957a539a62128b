import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import { firstContainer, linuxPod } from "./linux.test-support.ts";
import { oomScoreAdj } from "./oom-score.ts";

const memory = (amount: string) => ({ resources: { requests: { memory: amount } } });
const c = (rest: object = {}, name = "c") => ({ name, image: "i", ...rest });
const guaranteed = {
  resources: { limits: { cpu: "1", memory: "1Gi" }, requests: { cpu: "1", memory: "1Gi" } },
};
const critical = { priorityClassName: "system-node-critical", priority: 2_000_001_000 };

each<[string, object, number]>([
  ["best effort", { containers: [c()] }, 1000],
  ["guaranteed", { containers: [c(guaranteed)] }, -997],
  ["needed by the node", { containers: [c()], ...critical }, -997],
  ["a tenth of the memory", { containers: [c(memory("1Gi"))] }, 900],
  ["almost nothing", { containers: [c(memory("1"))] }, 999],
  ["no request in a burstable pod", { containers: [c(), c(memory("1Gi"), "d")] }, 999],
  ["all of the memory", { containers: [c(memory("10Gi"))] }, 3],
  [
    "a share of what the pod requests as a whole",
    { containers: [c(memory("1Gi")), c({}, "d")], resources: { requests: { memory: "3Gi" } } },
    800,
  ],
])("oomScoreAdj: %s", (_, spec, expected) => {
  const pod = linuxPod(spec);
  expect(oomScoreAdj(pod, firstContainer(pod), 10 * 1024 ** 3)).toBe(expected);
});

each<[string, string, number]>([
  ["1Gi", "2Gi", 800],
  ["3Gi", "2Gi", 700],
])("oomScoreAdj: a sidecar with %s beside containers with %s", (own, others, expected) => {
  const sidecar = c({ ...memory(own), restartPolicy: "Always" }, "s");
  const pod = linuxPod({
    initContainers: [sidecar],
    containers: [c(memory("9Gi")), c(memory(others), "d")],
  });
  const [container] = pod.spec.initContainers ?? [];
  expect(container && oomScoreAdj(pod, container, 10 * 1024 ** 3)).toBe(expected);
});
