import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import type { RuleWithOperations } from "../../../api/admissionregistration/v1/rule.ts";
import { type RuleTarget, ruleMatches } from "./rule.ts";

const all: Partial<RuleWithOperations> = {
  operations: ["*"],
  apiGroups: ["*"],
  apiVersions: ["*"],
  resources: ["*"],
};
const resource = { group: "apps", version: "v1", plural: "deployments", scope: "Namespaced" };
const target = { operation: "CREATE", resource, subresource: "" } as RuleTarget;
const cluster = { ...target, resource: { ...resource, scope: "Cluster" } } as RuleTarget;
const scale = { ...target, subresource: "scale" };

each<[what: string, rule: Partial<RuleWithOperations>, target: RuleTarget, expected: boolean]>([
  ["everything", {}, target, true],
  ["nothing", { operations: [], apiGroups: [], apiVersions: [], resources: [] }, target, false],
  ["its operation", { operations: ["UPDATE", "CREATE"] }, target, true],
  ["another operation", { operations: ["UPDATE"] }, target, false],
  ["its group", { apiGroups: ["", "apps"] }, target, true],
  ["another group", { apiGroups: [""] }, target, false],
  ["its version", { apiVersions: ["v1"] }, target, true],
  ["another version", { apiVersions: ["v2"] }, target, false],
  ["its resource", { resources: ["pods", "deployments"] }, target, true],
  ["another resource", { resources: ["pods"] }, target, false],
  ["its resource, in capitals", { resources: ["Deployments"] }, target, false],
  ["all resources without subresources", { resources: ["*"] }, scale, false],
  ["the subresource", { resources: ["deployments/scale"] }, scale, true],
  ["the subresource of any resource", { resources: ["*/scale"] }, scale, true],
  ["any subresource", { resources: ["deployments/*"] }, scale, true],
  ["any subresource: the object itself, too", { resources: ["deployments/*"] }, target, true],
  ["all resources and subresources", { resources: ["*/*"] }, scale, true],
  ["another subresource", { resources: ["deployments/status"] }, scale, false],
  ["objects in namespaces", { scope: "Namespaced" }, target, true],
  ["objects in namespaces", { scope: "Namespaced" }, cluster, false],
  ["objects of the cluster", { scope: "Cluster" }, cluster, true],
  ["objects of the cluster", { scope: "Cluster" }, target, false],
  ["both", { scope: "*" }, cluster, true],
])("ruleMatches: a rule for %s", (_, rule, request, expected) => {
  expect(ruleMatches({ ...all, ...rule }, request)).toBe(expected);
});
