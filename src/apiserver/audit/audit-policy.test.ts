import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { pathAttributes, resourceAttributes } from "../authorization/attributes.ts";
import { auditPolicyFaults, type PolicyRule } from "./audit-policy.ts";
import { auditRules } from "./audit-rules.ts";

const user = { name: "tim", groups: ["humans", "devs"] };
const namespaced = resourceAttributes(user, "get", {
  resource: "pods",
  namespace: "default",
  name: "busybox",
  version: "v1",
});
const attributes = {
  namespaced,
  cluster: resourceAttributes(user, "list", {
    group: "rbac.authorization.k8s.io",
    resource: "clusterroles",
  }),
  path: pathAttributes(user, "get", "/logs/x"),
  subresource: { ...namespaced, subresource: "log" },
  nobody: { ...namespaced, user: undefined },
};

type Row = [rule: Omit<PolicyRule, "level">, matched: (keyof typeof attributes)[]];
each<Row>([
  [{}, ["namespaced", "cluster", "path", "subresource", "nobody"]],
  [{ users: ["tim"] }, ["namespaced", "cluster", "path", "subresource"]],
  [{ users: ["mike"] }, []],
  [{ userGroups: ["devs", "ops"] }, ["namespaced", "cluster", "path", "subresource"]],
  [{ verbs: ["list"] }, ["cluster"]],
  [{ namespaces: ["default"] }, ["namespaced", "subresource", "nobody"]],
  [{ namespaces: [""] }, ["cluster"]],
  [{ nonResourceURLs: ["/logs*"] }, ["path"]],
  [{ nonResourceURLs: ["*"] }, ["path"]],
  [{ nonResourceURLs: ["/log"] }, []],
  [{ resources: [{ group: "" }] }, ["namespaced", "subresource", "nobody"]],
  [{ resources: [{ group: "*" }] }, ["namespaced", "cluster", "subresource", "nobody"]],
  [{ resources: [{ resources: ["pods"] }] }, ["namespaced", "nobody"]],
  [{ resources: [{ resources: ["pods/log"] }] }, ["subresource"]],
  [{ resources: [{ resources: ["*/log"] }] }, ["subresource"]],
  [{ resources: [{ resources: ["pods/*"] }] }, ["namespaced", "subresource", "nobody"]],
  [{ resources: [{ resources: ["*"] }] }, ["namespaced", "subresource", "nobody"]],
  [{ resources: [{ resources: ["pods"], resourceNames: ["busybox"] }] }, ["namespaced", "nobody"]],
  [{ resources: [{ resources: ["pods"], resourceNames: ["other"] }] }, []],
  [{ resources: [{ resources: ["pods"] }], namespaces: ["kube-system"] }, []],
])("auditRules: %j matches %j", (rule, matched) => {
  const extentOf = auditRules({ rules: [{ level: "Request", ...rule }] });
  const found = Object.entries(attributes).filter(([, one]) => extentOf(one).level === "Request");
  expect(found.map(([name]) => name)).toEqual(matched);
});

each<[what: string, policy: Parameters<typeof auditRules>[0], expected: unknown]>([
  [
    "the first rule that matches counts",
    { rules: [{ level: "None", verbs: ["get"] }, { level: "Metadata" }] },
    { level: "None", omitStages: [], omitManagedFields: false },
  ],
  [
    "stages are omitted by policy and rule",
    {
      omitStages: ["RequestReceived"],
      rules: [{ level: "Metadata", omitStages: ["Panic"] }],
    },
    { level: "Metadata", omitStages: ["RequestReceived", "Panic"], omitManagedFields: false },
  ],
  [
    "a rule decides on managed fields",
    { omitManagedFields: true, rules: [{ level: "Request", omitManagedFields: false }] },
    { level: "Request", omitStages: [], omitManagedFields: false },
  ],
  [
    "without a rule nothing is audited",
    { omitManagedFields: true, rules: [{ level: "Request", verbs: ["create"] }] },
    { level: "None", omitStages: [], omitManagedFields: true },
  ],
])("auditRules: %s", (_, policy, expected) => {
  const { omitStages, ...extent } = auditRules(policy)(namespaced);
  expect({ ...extent, omitStages: [...omitStages] }).toEqual(expected);
});

each<[rule: PolicyRule, fault: string]>([
  [{ level: "" }, "rules[0].level: Required value"],
  [
    { level: "Foo" },
    'rules[0].level: Unsupported value: "Foo": supported values: "None", "Metadata", "Request", "RequestResponse"',
  ],
  [
    { level: "Metadata", nonResourceURLs: ["logs"] },
    `rules[0].nonResourceURLs[0]: Invalid value: "logs": non-resource URL rules must begin with a '/' character`,
  ],
  [
    { level: "Metadata", nonResourceURLs: ["/a*b"] },
    `rules[0].nonResourceURLs[0]: Invalid value: "/a*b": non-resource URL wildcards '*' must be the final character of the rule`,
  ],
  [
    { level: "Metadata", namespaces: ["a"], nonResourceURLs: ["/a"] },
    'rules[0].nonResourceURLs: Invalid value: ["/a"]: rules cannot apply to both regular resources and non-resource URLs',
  ],
  [
    { level: "Metadata", resources: [{ resourceNames: ["a"] }] },
    'rules[0].resources.resourceNames: Invalid value: ["a"]: using resourceNames requires at least one resource',
  ],
  [
    { level: "Metadata", omitStages: ["Foo"] },
    'rules[0].omitStages[0]: Invalid value: "Foo": allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic',
  ],
])("auditPolicyFaults: %j", (rule, fault) => {
  expect(auditPolicyFaults({ rules: [rule] })).toEqual([fault]);
});
