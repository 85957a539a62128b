import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import {
  type BindingLike,
  isProtected,
  type RoleLike,
  reconciledBinding,
  reconciledRole,
} from "./reconciled.ts";

const get = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };
const list = { verbs: ["list"], apiGroups: [""], resources: ["pods"] };
const both = { verbs: ["get", "list"], apiGroups: [""], resources: ["pods"] };
const role = (rules: RoleLike["rules"], more: Partial<RoleLike> = {}): RoleLike => ({
  metadata: { name: "r" },
  rules,
  ...more,
});
const labelled = (labels: Record<string, string>, annotations: Record<string, string> = {}) => ({
  metadata: { name: "r", labels, annotations },
});
const aggregation = (...keys: string[]) => ({
  aggregationRule: {
    clusterRoleSelectors: keys.map((key) => ({ matchLabels: { [key]: "true" } })),
  },
});

each<[what: string, existing: RoleLike, expected: RoleLike, change: RoleLike | undefined]>([
  ["the same is left alone", role([get, list]), role([get, list]), undefined],
  ["the order does not matter", role([list, get]), role([get, list]), undefined],
  ["more is fine", role([both]), role([get]), undefined],
  ["what is missing is added, one by one", role([get]), role([both]), role([get, list])],
  ["what is there stays", role([list]), role([get]), role([list, get])],
  ["no rules get some", role(null as never), role([get]), role([get])],
  ["none are asked for", role([get]), role(null as never), undefined],
  [
    "labels and annotations are added, and not changed",
    role([], labelled({ a: "1" }, { x: "1" })),
    role([], labelled({ a: "2", b: "2" }, { x: "2", y: "2" })),
    role([], labelled({ b: "2", a: "1" }, { y: "2", x: "1" })),
  ],
  ["more labels are fine", role([], labelled({ a: "1", b: "1" })), role([]), undefined],
  ["selectors are added", role([]), role([], aggregation("a")), role([], aggregation("a"))],
  [
    "selectors that are there stay",
    role([], aggregation("b")),
    role([], aggregation("a", "b")),
    role([], aggregation("b", "a")),
  ],
  [
    "more selectors are fine",
    role([], aggregation("a", "b")),
    role([], aggregation("a")),
    undefined,
  ],
  [
    "an aggregation that nobody expects goes",
    role([get], aggregation("a")),
    role([get]),
    role([get]),
  ],
])("reconciledRole: %s", (_, existing, expected, change) => {
  expect(reconciledRole(existing, expected)).toEqual(change);
});

const jane = { kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "jane" };
const devs = { kind: "Group", apiGroup: "rbac.authorization.k8s.io", name: "devs" };
const account = { kind: "ServiceAccount", name: "jane", namespace: "n" };
const binding = (subjects: BindingLike["subjects"], name = "r"): BindingLike => ({
  metadata: { name: "b" },
  ...(subjects && { subjects }),
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
});

each<[what: string, existing: BindingLike, expected: BindingLike, change: unknown]>([
  ["the same is left alone", binding([jane]), binding([jane]), undefined],
  ["more is fine", binding([jane, devs]), binding([devs]), undefined],
  ["who is missing is added", binding([devs]), binding([jane]), binding([devs, jane])],
  [
    "a namesake of another kind is another",
    binding([account]),
    binding([jane]),
    binding([account, jane]),
  ],
  ["nobody is added to nobody", binding(undefined), binding(undefined), undefined],
  ["somebody is added to nobody", binding(undefined), binding([jane]), binding([jane])],
  ["the role cannot be changed", binding([jane], "x"), binding([jane]), "another role"],
  [
    "labels are added",
    binding([]),
    { ...binding([]), ...labelled({ a: "1" }) },
    { ...binding([]), metadata: { name: "b", labels: { a: "1" }, annotations: {} } },
  ],
])("reconciledBinding: %s", (_, existing, expected, change) => {
  expect(reconciledBinding(existing, expected)).toEqual(change);
});

const key = "rbac.authorization.kubernetes.io/autoupdate";
each<[annotations: Record<string, string> | undefined, expected: boolean]>([
  [undefined, false],
  [{ [key]: "true" }, false],
  [{ [key]: "no" }, false],
  [{ [key]: "false" }, true],
])("isProtected: %o asks to be left alone: %s", (annotations, expected) => {
  expect(isProtected({ metadata: { name: "r", annotations } })).toEqual(expected);
});
