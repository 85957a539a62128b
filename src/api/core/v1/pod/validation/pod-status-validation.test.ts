import { expect, test } from "vitest";
import { each } from "../../../../../../test/each.ts";
import { faults, podOf } from "../pod.test-support.ts";
import { validatePodStatusUpdate } from "./pod-status-validation.ts";

const rules = (status: object, old: object = {}, spec: object = {}) =>
  faults((at) =>
    validatePodStatusUpdate(podOf({ spec, status }), podOf({ spec, status: old }), at),
  );
const claims = { resourceClaims: [{ name: "a", resourceClaimName: "x" }] };
const invalidIp = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";

each<[string, object, object, object, readonly string[]]>([
  ["nothing is needed", {}, {}, {}, []],
  [
    "the class never changes",
    { qosClass: "Burstable" },
    { qosClass: "BestEffort" },
    {},
    ['status.qosClass: Invalid value: "Burstable": field is immutable'],
  ],
  [
    "generations are not negative",
    {
      observedGeneration: -1,
      conditions: [{ type: "Ready", status: "True", observedGeneration: -1 }],
    },
    {},
    {},
    [
      "status.conditions[0].observedGeneration: Invalid value: -1: must be a non-negative integer",
      "status.observedGeneration: Invalid value: -1: must be a non-negative integer",
    ],
  ],
  [
    "bound pods are not nominated",
    { nominatedNodeName: "n" },
    {},
    { nodeName: "m" },
    [
      "status.nominatedNodeName: Forbidden: may not be set on pods that are already bound to a node",
    ],
  ],
  [
    "addresses are addresses",
    { podIPs: [{ ip: "x" }] },
    {},
    {},
    [`status.podIPs[0]: Invalid value: "x": ${invalidIp}`],
  ],
  ["or were there before", { podIPs: [{ ip: "x" }] }, { podIPs: [{ ip: "x" }] }, {}, []],
  ["one of each family", { podIPs: [{ ip: "192.0.2.1" }, { ip: "::1" }] }, {}, {}, []],
  [
    "of two that are none, the first is named",
    { podIPs: [{ ip: "x" }, { ip: "y" }] },
    {},
    {},
    [
      `status.podIPs[0]: Invalid value: "x": ${invalidIp}`,
      `status.podIPs[1]: Invalid value: "y": ${invalidIp}`,
      "status.podIPs: Internal error: failed to check for dual stack with error:invalid IP[0]: x",
      'status.podIPs: Invalid value: [{"IP":"x"},{"IP":"y"}]: may specify no more than one IP for each IP family',
    ],
  ],
  [
    "not two",
    { podIPs: [{ ip: "192.0.2.1" }, { ip: "192.0.2.2" }] },
    {},
    {},
    [
      'status.podIPs: Invalid value: [{"IP":"192.0.2.1"},{"IP":"192.0.2.2"}]: may specify no more than one IP for each IP family',
    ],
  ],
  [
    "the node's first address stands in both fields",
    { hostIP: "192.0.2.1", hostIPs: [{ ip: "192.0.2.2" }] },
    {},
    {},
    ['status.hostIPs[0].ip: Invalid value: "192.0.2.2": must be equal to `hostIP`'],
  ],
  [
    "claims are the pod's, each once",
    { resourceClaimStatuses: [{ name: "a" }, { name: "a" }, { name: "b" }] },
    {},
    claims,
    [
      'status.resourceClaimStatuses[1].name: Duplicate value: "a"',
      'status.resourceClaimStatuses[2].name: Invalid value: "b": must match the name of an entry in `spec.resourceClaims`',
    ],
  ],
  [
    "claims of extended resources say which",
    { extendedResourceClaimStatus: {} },
    {},
    {},
    [
      "status.extendedResourceClaimStatus.requestMappings: Required value: at least one request mapping is required",
      "status.extendedResourceClaimStatus.resourceClaimName: Required value",
    ],
  ],
])("validatePodStatusUpdate: %s", (_, status, old, spec, expected) => {
  expect(rules(status, old, spec)).toEqual(expected);
});

test("validatePodStatusUpdate: conditions of others have qualified names", () => {
  expect(rules({ conditions: [{ type: "a/b/c", status: "True" }] })[0]).toMatch(
    /^status\.conditions\[0\]\.Type: Invalid value/,
  );
});

test("validatePodStatusUpdate: containers that ended stay so where nothing restarts them", () => {
  const containerStatuses = (state: object) => [
    { name: "c", image: "i", imageID: "", ready: false, restartCount: 0, state },
  ];
  const revive = (restartPolicy: string) =>
    rules(
      { containerStatuses: containerStatuses({ running: {} }) },
      { containerStatuses: containerStatuses({ terminated: { exitCode: 0 } }) },
      { restartPolicy },
    );
  expect(revive("OnFailure")).toEqual([
    "status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state",
  ]);
  expect(revive("Always")).toEqual([]);
});
