import { expect, test } from "vitest";
import { aggregatedRules } from "./aggregated-rules.ts";
import type { ClusterRole } from "./cluster-role.ts";

const rule = (resource: string) => ({ verbs: ["get"], apiGroups: [""], resources: [resource] });
const role = (
  name: string,
  labels: Record<string, string>,
  ...resources: string[]
): ClusterRole => ({
  kind: "ClusterRole",
  apiVersion: "rbac.authorization.k8s.io/v1",
  metadata: { name, labels },
  rules: resources.map(rule),
});
const aggregated = (...matchLabels: Record<string, string>[]): ClusterRole => ({
  ...role("all", { to: "x" }, "old"),
  aggregationRule: { clusterRoleSelectors: matchLabels.map((labels) => ({ matchLabels: labels })) },
});
const resourcesOf = (made: ClusterRole, ...roles: ClusterRole[]) =>
  aggregatedRules(made, [...roles, made]).flatMap(({ resources }) => resources);

test("aggregatedRules: those of all chosen roles, by name, each once, but not its own", () => {
  const roles = [role("c", { to: "x" }, "pods"), role("a", { to: "x" }, "nodes", "pods")];
  expect(resourcesOf(aggregated({ to: "x" }), ...roles, role("b", {}, "secrets"))).toEqual([
    "nodes",
    "pods",
  ]);
});

test("aggregatedRules: one selector after the other", () => {
  const roles = [role("a", { to: "y" }, "nodes"), role("b", { to: "x" }, "pods")];
  expect(resourcesOf(aggregated({ to: "x" }, { to: "y" }), ...roles)).toEqual(["pods", "nodes"]);
});

test("aggregatedRules: none where nothing is chosen, or nothing is asked for", () => {
  expect(resourcesOf(aggregated({ to: "z" }), role("a", { to: "x" }, "pods"))).toEqual([]);
  expect(resourcesOf(aggregated(), role("a", { to: "x" }, "pods"))).toEqual([]);
});

test("aggregatedRules: an empty selector chooses every role", () => {
  expect(resourcesOf(aggregated({}), role("a", {}, "pods"))).toEqual(["pods"]);
});

test("aggregatedRules: rules that differ in the order of words are two", () => {
  const twice = { ...rule("pods"), verbs: ["get", "list"] };
  const turned = { ...twice, verbs: ["list", "get"] };
  const roles = [{ ...role("a", { to: "x" }), rules: [twice, turned, { ...twice }] }];
  expect(aggregatedRules(aggregated({ to: "x" }), roles)).toEqual([twice, turned]);
});
