import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { cellsOf, created, read, statusUpdated } from "../../kind.test-support.ts";
import { write } from "../../write.test-support.ts";
import { FlowSchema } from "./flow-schema.ts";
import { mandatoryFlowSchemas } from "./mandatory.ts";

const level = { priorityLevelConfiguration: { name: "workload-low" } };
const anyResource = {
  verbs: ["*"],
  apiGroups: ["*"],
  resources: ["*"],
  namespaces: ["*"],
};
const user = { kind: "User", user: { name: "*" } };
const ruled = (rule: object) => ({ ...level, rules: [{ subjects: [user], ...rule }] });
const matching = (...resourceRules: object[]) => ruled({ resourceRules });
const paths = (...nonResourceURLs: string[]) =>
  ruled({ nonResourceRules: [{ verbs: ["get"], nonResourceURLs }] });
const of = (...subjects: object[]) => ruled({ subjects, resourceRules: [anyResource] });
const rule = "spec.rules[0]";
const url = `${rule}.nonResourceRules[0].nonResourceURLs`;

each<[sentence: string, spec: object, errors: readonly string[]]>([
  ["it may match nothing", level, []],
  [
    "the first place is that of the exempt",
    { ...level, matchingPrecedence: 1 },
    [
      "spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1",
    ],
  ],
  ["a precedence of zero is the default", { ...level, matchingPrecedence: 0 }, []],
  [
    "another way to tell flows apart is refused",
    { ...level, distinguisherMethod: { type: "ByMood" } },
    [
      'spec.distinguisherMethod.type: Unsupported value: {"Type":"ByMood"}: supported values: "ByNamespace", "ByUser"',
    ],
  ],
  [
    "rules for the cluster need no namespace",
    matching({ ...anyResource, namespaces: [], clusterScope: true }),
    [],
  ],
  [
    "each namespace is a label",
    matching({ ...anyResource, namespaces: ["a", "b.c"] }),
    [
      `${rule}.resourceRules[0].namespaces[1]: Invalid value: "b.c": each member of this list must be '*' or a DNS-1123 label; must not contain dots`,
    ],
  ],
  ["every path, the root and all below one are paths", paths("/", "/a/*"), []],
  [
    "paths begin with one slash and end in at most one wildcard",
    paths("", "a", "/a b", "/a//b", "/a*", "/*/*"),
    [
      `${url}[0]: Invalid value: "": must not be empty`,
      `${url}[1]: Invalid value: "a": must start with slash`,
      `${url}[2]: Invalid value: "/a b": must not contain white-space`,
      `${url}[3]: Invalid value: "/a//b": must not contain double slash`,
      `${url}[4]: Invalid value: "/a*": wildcard can only do suffix matching`,
      `${url}[5]: Invalid value: "/*/*": wildcard can only do suffix matching`,
    ],
  ],
  [
    "a wildcard for paths stands alone",
    paths("*", "/a"),
    [
      `${url}: Invalid value: ["*","/a"]: if '*' is present, must not specify other non-resource URLs`,
    ],
  ],
  [
    "a subject is of the kind that it says",
    of({ kind: "User", group: { name: "g" }, serviceAccount: { name: "s", namespace: "n" } }),
    [
      `${rule}.subjects[0].user: Required value: user is required when subject kind is 'User'`,
      `${rule}.subjects[0].serviceAccount: Forbidden: serviceAccount is forbidden when subject kind is not 'ServiceAccount'`,
      `${rule}.subjects[0].group: Forbidden: group is forbidden when subject kind is not 'Group'`,
    ],
  ],
  [
    "service accounts have a name and a namespace",
    of({ kind: "ServiceAccount", serviceAccount: {} }, { kind: "Group", group: {} }),
    [
      `${rule}.subjects[0].serviceAccount.name: Required value`,
      `${rule}.subjects[0].serviceAccount.namespace: Required value: must specify namespace for service account`,
      `${rule}.subjects[1].group.name: Required value`,
    ],
  ],
])("FlowSchema: %s", (_, spec, errors) => {
  expect(created(FlowSchema, { spec })).toEqual(errors);
});

test("FlowSchema: those that every server has are as they are", () => {
  const spec = mandatoryFlowSchemas.exempt as object;
  expect(created(FlowSchema, { metadata: { name: "exempt" }, spec })).toEqual([]);
  expect(
    created(FlowSchema, {
      metadata: { name: "exempt" },
      spec: { ...spec, rules: [], matchingPrecedence: 2 },
    }),
  ).toEqual([
    `spec: Invalid value: {"PriorityLevelConfiguration":{"Name":"exempt"},"MatchingPrecedence":2,"DistinguisherMethod":null,"Rules":[]}: spec of 'exempt' must equal the fixed value`,
  ]);
});

test("FlowSchema: conditions have a type, each its own", () => {
  const status = { conditions: [{ type: "A" }, {}, { type: "A" }] };
  expect(statusUpdated(FlowSchema, { spec: level }, { spec: level, status })).toEqual([
    "status.conditions[1].type: Required value",
    'status.conditions[2].type: Duplicate value: "A"',
  ]);
});

test("FlowSchema: through the status nothing else is changed", () => {
  const old = read(FlowSchema, { spec: level });
  const now = read(FlowSchema, {
    metadata: { labels: { a: "b" } },
    spec: { priorityLevelConfiguration: { name: "x" } },
  });
  FlowSchema.strategy.prepareStatusUpdate?.(now as never, old as never, write);
  expect([now.metadata.labels, now.spec]).toEqual([undefined, old.spec]);
});

test("FlowSchema: a level that is missing shows", () => {
  const status = { conditions: [{ type: "Dangling", status: "True" }] };
  expect([
    cellsOf(FlowSchema, { spec: level }),
    cellsOf(FlowSchema, { spec: level, status }),
  ]).toEqual([
    ["workload-low", 1000, "<none>", "?"],
    ["workload-low", 1000, "<none>", "True"],
  ]);
});
