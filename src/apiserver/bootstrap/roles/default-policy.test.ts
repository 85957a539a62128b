import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { factsFolder } from "../../../../test/facts.ts";
import { yamlToJson } from "../../../schema/yaml/yaml.ts";
import { defaultPolicy } from "./default-policy.ts";

interface Named {
  readonly metadata: { readonly namespace?: string; readonly name: string };
}

const facts = (...files: readonly string[]): unknown =>
  byName(
    files.flatMap((file) => {
      const text = readFileSync(join(factsFolder, "rbac", `${file}.yaml`), "utf8");
      return (yamlToJson(text) as unknown as { items: readonly Named[] }).items;
    }),
  );

const byName = (objects: readonly unknown[]): unknown =>
  Object.fromEntries(
    (objects as readonly Named[]).map((object) => {
      const { namespace = "", name } = object.metadata;
      return [`${namespace}/${name}`, object];
    }),
  );

const { clusterRoles, clusterRoleBindings, roles, roleBindings } = defaultPolicy;

test("the default policy: cluster roles are upstream's", () => {
  expect(byName(clusterRoles)).toEqual(facts("cluster-roles", "controller-roles"));
});
test("the default policy: their bindings are upstream's", () => {
  const recorded = facts("cluster-role-bindings", "controller-role-bindings");
  expect(byName(clusterRoleBindings)).toEqual(recorded);
});
test("the default policy: roles of namespaces are upstream's", () => {
  expect(byName(roles)).toEqual(facts("namespace-roles"));
  expect(byName(roleBindings)).toEqual(facts("namespace-role-bindings"));
});
