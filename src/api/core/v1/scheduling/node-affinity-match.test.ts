import { expect, test } from "vitest";
import {
  nodeSelectorMatch,
  preferredNodeWeight,
  requiredNodeMatch,
} from "./node-affinity-match.ts";
import type { NodeSelectorTerm } from "./node-selector.ts";

const node = (name: string, labels: Record<string, string> = {}) => ({
  metadata: { name, labels },
});
const here = node("here", { zone: "a", disk: "ssd", size: "10" });

const matches = (...terms: NodeSelectorTerm[]) =>
  nodeSelectorMatch({ nodeSelectorTerms: terms })(here);
const label = (key: string, operator: string, ...values: string[]): NodeSelectorTerm => ({
  matchExpressions: [{ key, operator, values }],
});

test.each<[string, NodeSelectorTerm[], boolean]>([
  ["In means one of the values", [label("zone", "In", "b", "a")], true],
  ["NotIn means none of them, or no such label", [label("rack", "NotIn", "1")], true],
  ["Exists means any value", [label("disk", "Exists")], true],
  ["DoesNotExist means no such label", [label("disk", "DoesNotExist")], false],
  ["Gt compares integers", [label("size", "Gt", "9")], true],
  ["Lt compares integers", [label("size", "Lt", "10")], false],
  ["a label that is no integer is neither more nor less", [label("zone", "Gt", "1")], false],
  ["one of the terms is enough", [label("zone", "In", "b"), label("zone", "In", "a")], true],
  ["no term means no node", [], false],
  ["an empty term means no node", [{}], false],
  ["a term that cannot be read means no node", [label("zone", "Near", "a")], false],
  [
    "a field means the name",
    [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["here"] }] }],
    true,
  ],
  [
    "all conditions of a term must hold",
    [
      {
        ...label("zone", "In", "a"),
        matchFields: [{ key: "metadata.name", operator: "NotIn", values: ["here"] }],
      },
    ],
    false,
  ],
])("nodeSelectorMatch: %s", (_, terms, expected) => {
  expect(matches(...terms)).toBe(expected);
});

test("requiredNodeMatch: the node selector and the affinity must both be met", () => {
  const spec = (nodeSelector: Record<string, string>, zone: string) =>
    ({
      containers: [],
      nodeSelector,
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [label("zone", "In", zone)],
          },
        },
      },
    }) as never;
  expect(requiredNodeMatch(spec({ disk: "ssd" }, "a"))(here)).toBe(true);
  expect(requiredNodeMatch(spec({ disk: "ssd" }, "b"))(here)).toBe(false);
  expect(requiredNodeMatch(spec({ disk: "hdd" }, "a"))(here)).toBe(false);
  expect(requiredNodeMatch({ containers: [] } as never)(here)).toBe(true);
});

test("preferredNodeWeight: the weights of the terms that a node meets add up", () => {
  const weight = preferredNodeWeight([
    { weight: 5, preference: label("zone", "In", "a") },
    { weight: 7, preference: label("disk", "In", "ssd") },
    { weight: 11, preference: label("disk", "In", "hdd") },
    { weight: 100, preference: {} },
  ]);
  expect(weight(here)).toBe(12);
  expect(weight(node("there"))).toBe(0);
});
