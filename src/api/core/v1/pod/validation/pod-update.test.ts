import { expect, test } from "vitest";
import { each } from "../../../../../../test/each.ts";
import { faults, podOf } from "../pod.test-support.ts";
import { validatePodUpdate } from "./pod-update.ts";

const rules = (spec: object, old: object = {}) =>
  faults((at) => validatePodUpdate(podOf({ spec }), podOf({ spec: old }), at));
const toleration = { key: "a", operator: "Exists", effect: "NoExecute" };
const selector = "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
const gates = { schedulingGates: [{ name: "g" }] };
const nodes = (...terms: object[]) => ({
  affinity: {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } },
  },
});
const exists = (...keys: string[]) => ({
  matchExpressions: keys.map((key) => ({ key, operator: "Exists" })),
});
const termsAt =
  "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";

each<[string, object, object, readonly string[]]>([
  ["no change is fine", {}, {}, []],
  ["images change", { containers: [{ name: "c", image: "j" }] }, {}, []],
  [
    "containers do not come or go, and then nothing else is told",
    {
      containers: [
        { name: "c", image: "i" },
        { name: "d", image: "i" },
      ],
      nodeName: "n",
    },
    {},
    ["spec.containers: Forbidden: pod updates may not add or remove containers"],
  ],
  ["deadlines may be set", { activeDeadlineSeconds: 5 }, {}, []],
  ["and shortened", { activeDeadlineSeconds: 5 }, { activeDeadlineSeconds: 6 }, []],
  [
    "not prolonged",
    { activeDeadlineSeconds: 6 },
    { activeDeadlineSeconds: 5 },
    ["spec.activeDeadlineSeconds: Invalid value: 6: must be less than or equal to previous value"],
  ],
  [
    "not removed",
    {},
    { activeDeadlineSeconds: 5 },
    [
      "spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive integer to nil value",
    ],
  ],
  ["tolerations come", { tolerations: [toleration] }, {}, []],
  [
    "last longer",
    { tolerations: [{ ...toleration, tolerationSeconds: 5 }] },
    { tolerations: [toleration] },
    [],
  ],
  [
    "do not go",
    {},
    { tolerations: [toleration] },
    [
      "spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds",
    ],
  ],
  ["gates go", {}, gates, []],
  [
    "do not come",
    gates,
    {},
    [
      "spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'g'",
    ],
  ],
  [
    "amounts in another form are the same",
    { overhead: { memory: "1Gi" } },
    { overhead: { memory: "1024Mi" } },
    [],
  ],
  [
    "gated pods may select fewer nodes",
    { ...gates, nodeSelector: { a: "1", b: "2" } },
    { ...gates, nodeSelector: { a: "1" } },
    [],
  ],
  [
    "not others",
    { ...gates, nodeSelector: { b: "2" } },
    { ...gates, nodeSelector: { a: "1" } },
    [`spec.nodeSelector: Invalid value: {"b":"2"}: ${selector}`],
  ],
  [
    "also by affinity",
    { ...gates, ...nodes(exists("a", "b")) },
    { ...gates, ...nodes(exists("a")) },
    [],
  ],
  ["that was not there", { ...gates, ...nodes(exists("a")) }, gates, []],
  [
    "terms do not come",
    { ...gates, ...nodes(exists("a"), exists("b")) },
    { ...gates, ...nodes(exists("a")) },
    [
      `${termsAt}: Invalid value: [{"MatchExpressions":[{"Key":"a","Operator":"Exists","Values":null}],"MatchFields":null},{"MatchExpressions":[{"Key":"b","Operator":"Exists","Values":null}],"MatchFields":null}]: no additions/deletions to non-empty NodeSelectorTerms list are allowed`,
    ],
  ],
  [
    "and conditions do not change",
    { ...gates, ...nodes(exists("b")) },
    { ...gates, ...nodes(exists("a")) },
    [
      `${termsAt}[0]: Invalid value: {"MatchExpressions":[{"Key":"b","Operator":"Exists","Values":null}],"MatchFields":null}: only additions are allowed (no mutations or deletions)`,
    ],
  ],
])("validatePodUpdate: %s", (_, spec, old, expected) => {
  expect(rules(spec, old)).toEqual(expected);
});

test("validatePodUpdate: nothing else changes, and the difference is told", () => {
  expect(rules({ nodeName: "n" })).toEqual([
    [
      "spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
      "@@ -42,7 +42,7 @@",
      '  "NodeSelector": null,',
      '  "ServiceAccountName": "",',
      '  "AutomountServiceAccountToken": null,',
      '- "NodeName": "",',
      '+ "NodeName": "n",',
      '  "SecurityContext": {',
      '   "HostNetwork": false,',
      '   "HostPID": false,',
      "",
    ].join("\n"),
  ]);
});
