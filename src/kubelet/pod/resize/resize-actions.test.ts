import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import { podOf } from "../../../api/core/v1/pod/pod.test-support.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { ContainerResources } from "../../../cri/runtime-types.ts";
import type { RuntimePod } from "../runtime-pod.ts";
import type { PodResources } from "./allocation-store.ts";
import { isResized, resizeActions, startsResized } from "./resize-actions.ts";

const limits = (cpu: string, memory: string) => ({
  ...{ requests: { cpu, memory }, limits: { cpu, memory } },
});

const pod = (spec: object): Pod => podOf({ metadata: { uid: "u1" }, spec }) as Pod;

const twoContainers = (a: object, b: object, rest: object = {}): Pod =>
  pod({
    containers: [
      { name: "a", image: "i", resources: a, ...rest },
      { name: "b", image: "i", resources: b },
    ],
  });

const running = (name: string, resources: ContainerResources = {}) => ({
  ...{ id: `id-${name}`, metadata: { name, attempt: 0 }, state: "running", resources },
});

const runtimePod = (...containers: readonly object[]): RuntimePod =>
  ({ sandboxes: [], containers }) as unknown as RuntimePod;

const both = runtimePod(running("a"), running("b"));
const small = limits("1", "1Gi");
const large = limits("2", "2Gi");
const smallTwo: PodResources = { containers: { a: small, b: large } };
const restart = { resizePolicy: [{ resourceName: "memory", restartPolicy: "RestartContainer" }] };

each<[string, Pod, RuntimePod, PodResources | undefined, object]>([
  ["nothing", twoContainers(small, large), both, smallTwo, { memory: [], cpu: [], restart: [] }],
  [
    "who gets less comes first",
    twoContainers(large, small),
    both,
    smallTwo,
    { memory: ["b", "a"], cpu: ["b", "a"], restart: [] },
  ],
  [
    "one resource alone",
    twoContainers(limits("2", "1Gi"), large),
    both,
    smallTwo,
    { memory: [], cpu: ["a"], restart: [] },
  ],
  [
    "a request alone",
    twoContainers({ requests: { memory: "512Mi", cpu: "1" }, limits: small.limits }, large),
    both,
    smallTwo,
    { memory: ["a"], cpu: [], restart: [] },
  ],
  [
    "a restart, if the policy of a changed resource says so",
    twoContainers(large, large, restart),
    both,
    smallTwo,
    { memory: [], cpu: [], restart: ["a"] },
  ],
  [
    "no restart for another resource",
    twoContainers(limits("2", "1Gi"), large, restart),
    both,
    smallTwo,
    { memory: [], cpu: ["a"], restart: [] },
  ],
  [
    "containers that do not run get theirs when they start",
    twoContainers(large, large),
    runtimePod(running("b")),
    smallTwo,
    { memory: [], cpu: [], restart: [] },
  ],
  [
    "without a record the runtime knows",
    twoContainers(large, {}),
    runtimePod(running("a", { cpuRequestMillis: 2000, cpuLimitMillis: 2000 }), running("b")),
    undefined,
    { memory: ["a"], cpu: [], restart: [] },
  ],
])("resizeActions: %s", (_, given, actual, actuated, expected) => {
  const found = resizeActions(given, actual, actuated);
  expect({
    memory: found.memory.map(({ container }) => container.name),
    cpu: found.cpu.map(({ container }) => container.name),
    restart: [...found.restart],
  }).toEqual(expected);
});

const whole = (resources: object): Pod =>
  pod({ containers: [{ name: "a", image: "i" }], resources });

each<[string, object, object, string[], boolean]>([
  ["the same", large, large, [], false],
  ["a limit of the pod, which its containers have, too", large, small, ["a"], true],
  ["a request", { ...large, requests: { cpu: "1", memory: "2Gi" } }, large, [], true],
])("resizeActions: the pod as a whole: %s", (_, wanted, current, memory, isWholeChanged) => {
  const actuated = { pod: current, containers: { a: {} } };
  const found = resizeActions(whole(wanted), runtimePod(running("a")), actuated);
  expect(found.memory.map(({ container }) => container.name)).toEqual(memory);
  expect(found.isWholeChanged).toBe(isWholeChanged);
  expect(isResized(found)).toBe(!isWholeChanged);
});

each<[string, string[], boolean]>([
  ["one that has changed", ["a"], true],
  ["one that has not", ["b"], false],
])("startsResized: %s", (_, names, expected) => {
  expect(startsResized(twoContainers(large, large), names, smallTwo)).toBe(expected);
});
