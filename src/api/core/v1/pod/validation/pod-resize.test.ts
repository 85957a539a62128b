import { expect, test } from "vitest";
import { each } from "../../../../../../test/each.ts";
import { write } from "../../../../write.test-support.ts";
import { faults, podOf } from "../pod.test-support.ts";
import { Pod } from "../pod.ts";
import { validatePodResize } from "./pod-resize.ts";

const sized = (requests: object, more: object = {}) => ({
  containers: [{ name: "c", image: "i", resources: { requests }, ...more }],
});
const rules = (spec: object, old: object, status: object = {}) =>
  faults((at) => validatePodResize(podOf({ spec }), podOf({ spec: old, status }), at));
const init = (resources: object, more: object = {}) => ({
  ...sized({ cpu: "1" }),
  initContainers: [{ name: "i", image: "i", resources, ...more }],
});

test("Pod resize: nothing but resources changes", () => {
  const old = podOf({ metadata: { generation: 1 }, spec: sized({ cpu: "1" }) });
  const pod = podOf({
    metadata: { generation: 1 },
    spec: { ...sized({ cpu: "2" }), nodeName: "n" },
  });
  const [container] = pod.spec.containers;
  if (container) container.image = "j";
  Pod.strategy.updates?.resize?.prepare(pod as never, old as never, write);
  expect([pod.spec.nodeName, pod.spec.containers[0], pod.metadata.generation]).toEqual([
    undefined,
    { ...old.spec.containers[0], resources: { requests: { cpu: "2" } }, resizePolicy: undefined },
    2,
  ]);
});

each<[string, object, object, readonly string[]]>([
  [
    "cpu and memory grow and shrink",
    sized({ cpu: "2", memory: "1Mi" }),
    sized({ cpu: "1", memory: "1Gi" }),
    [],
  ],
  [
    "other resources do not",
    sized({ cpu: "1", "ephemeral-storage": "2" }),
    sized({ cpu: "1", "ephemeral-storage": "1" }),
    ["spec: Forbidden: only cpu and memory resources are mutable"],
  ],
  [
    "requests do not go",
    sized({ cpu: "1" }),
    sized({ cpu: "1", memory: "1" }),
    ["spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed"],
  ],
  [
    "the class stays",
    sized({ cpu: "1" }),
    {},
    ['spec: Invalid value: "": Pod QOS Class may not change as a result of resizing'],
  ],
  [
    "containers neither come nor go",
    { containers: [...sized({ cpu: "1" }).containers, { name: "d", image: "i" }] },
    sized({ cpu: "1" }),
    ["spec.containers: Forbidden: containers may not be added or removed on resize"],
  ],
  [
    "nor get other names",
    sized({ cpu: "1" }, { name: "d" }),
    sized({ cpu: "1" }),
    ["spec.containers[0].name: Forbidden: containers may not be renamed or reordered on resize"],
  ],
  [
    "init containers are resized too",
    init({ requests: { cpu: "2" } }),
    init({ requests: { cpu: "1" } }),
    [],
  ],
  [
    "but not restarted for it",
    init({ requests: { cpu: "2" } }, { resizePolicy: restart() }),
    init({ requests: { cpu: "1" } }, { resizePolicy: restart() }),
    [
      "spec.initContainers[0]: Forbidden: non-sidecar init containers with a resize policy of RestartContainer cannot be resized",
    ],
  ],
  [
    "so is the pod as a whole",
    { ...sized({ cpu: "1" }), resources: { requests: { cpu: "3" } } },
    { ...sized({ cpu: "1" }), resources: { requests: { cpu: "2" } } },
    [],
  ],
  [
    "which stays sized",
    sized({ cpu: "1" }),
    { ...sized({ cpu: "1" }), resources: { requests: { cpu: "2" } } },
    ["spec.resources: Forbidden: pod-level resources cannot be removed"],
  ],
  [
    "Windows pods are not",
    { os: { name: "windows" } },
    { os: { name: "windows" } },
    ["[]: Forbidden: windows pods cannot be resized"],
  ],
])("validatePodResize: %s", (_, spec, old, expected) => {
  expect(rules(spec, old)).toEqual(expected);
});

function restart(): readonly object[] {
  return [{ resourceName: "cpu", restartPolicy: "RestartContainer" }];
}

test("validatePodResize: nodes that do not tell resources cannot change them", () => {
  const status = (resources: object) => ({
    containerStatuses: [
      {
        name: "c",
        image: "i",
        imageID: "",
        ready: true,
        restartCount: 0,
        state: { running: {} },
        ...resources,
      },
    ],
  });
  const resize = (resources: object) =>
    rules(sized({ cpu: "2" }), sized({ cpu: "1" }), status(resources));
  expect(resize({})).toEqual(["spec: Forbidden: Pod running on node without support for resize"]);
  expect(resize({ resources: {} })).toEqual([]);
});
