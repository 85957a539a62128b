import { expect, test } from "vitest";
import { each } from "../../../../../test/each.ts";
import { faults } from "../pod/pod.test-support.ts";
import type { Affinity, PodAffinityTerm } from "./affinity.ts";
import { validateAffinity } from "./affinity-validation.ts";

const term = (more: Partial<PodAffinityTerm> = {}): PodAffinityTerm => ({
  topologyKey: "zone",
  ...more,
});
const near = (...terms: PodAffinityTerm[]): Affinity => ({
  podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms },
});
const place = "podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]";

each<[string, Affinity, readonly string[]]>([
  ["a term may be empty but for its place", near(term()), []],
  [
    "the place is named",
    near(term({ topologyKey: "" })),
    [
      `${place}.topologyKey: Required value: can not be empty`,
      `${place}.topologyKey: Invalid value: "": name part must be non-empty`,
      `${place}.topologyKey: Invalid value: "": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
  ],
  [
    "keys need a selector",
    near(term({ matchLabelKeys: ["a"] })),
    [`${place}.matchLabelKeys: Forbidden: must not be specified when labelSelector is not set`],
  ],
  [
    "selectors are looked at, that of pods first",
    near(
      term({
        labelSelector: { matchExpressions: [{ key: "a", operator: "In" }] },
        namespaceSelector: { matchExpressions: [{ key: "a", operator: "In" }] },
      }),
    ),
    ["labelSelector", "namespaceSelector"].map(
      (name) =>
        `${place}.${name}.matchExpressions[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`,
    ),
  ],
  [
    "preferences have a weight, and may name what no label is",
    {
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 0,
            preference: { matchExpressions: [{ key: "a", operator: "In", values: ["-"] }] },
          },
        ],
      },
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 101, podAffinityTerm: term() }],
      },
    },
    [
      "nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 0: must be in the range 1-100",
      "podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 101: must be in the range 1-100",
    ],
  ],
  [
    "required nodes are selected by something",
    { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } },
    [
      "nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required value: must have at least one node selector term",
    ],
  ],
])("validateAffinity: %s", (_, affinity, expected) => {
  expect(faults((at) => validateAffinity(affinity, at))).toEqual(expected);
});

test("validateAffinity: namespaces are names, reported at no index", () => {
  const [fault] = faults((at) => validateAffinity(near(term({ namespaces: ["A"] })), at));
  expect(fault).toMatch(`${place}.namespace: Invalid value: "A": a lowercase RFC 1123 label`);
});
