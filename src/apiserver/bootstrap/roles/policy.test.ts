import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import type { ClusterRole } from "../../../api/rbac/v1/cluster-role.ts";
import type { ClusterRoleBinding } from "../../../api/rbac/v1/cluster-role-binding.ts";
import { uncovered } from "../../../api/rbac/v1/covers.ts";
import { rbacGroup } from "../../../api/rbac/v1/role-ref.ts";
import type { AnyKind, ApiObject } from "../../objects/object.ts";
import { removeObject } from "../../verbs/delete.ts";
import { openParts, resources } from "../../verbs/verb-parts.test-support.ts";
import type { VerbParts } from "../../verbs/verb-parts.ts";
import { bootstrap } from "../bootstrap.ts";
import { defaultPolicy } from "./default-policy.ts";

const options = { aggregatesRoles: true };
const kindOf = (plural: string) => resources.find(rbacGroup, "v1", plural) as AnyKind;

function stored<T = ClusterRole>(parts: VerbParts, plural: string, name: string): T {
  const cache = parts.reader.cache.of(kindOf(plural));
  return cache.get(`${cache.prefix}${name}`)?.object as unknown as T;
}

/** Replaces an object by the result of a function, or removes it. */
async function change<T>(
  parts: VerbParts,
  [plural, name]: readonly [string, string],
  make: (object: T) => T | undefined,
): Promise<void> {
  const kind = kindOf(plural);
  const cache = parts.reader.cache.of(kind);
  const found = cache.get(`${cache.prefix}${name}`);
  const address = { kind, namespace: "", name };
  const object = make(found?.object as T) as ApiObject | undefined;
  const ifRevision = found?.revision ?? 0;
  if (object) await parts.committer.put(address, { object, ifRevision });
  else await removeObject(parts, address, ifRevision);
}

const autoUpdate = "rbac.authorization.kubernetes.io/autoupdate";
const extraRule = { verbs: ["eat"], apiGroups: ["example.com"], resources: ["cakes"] };

test("the policy at start: nothing is written if nothing is missing", async () => {
  const parts = await openParts();
  await bootstrap(parts, options);
  const before = await parts.reader.store.currentRevision();
  await bootstrap(parts, options);
  expect(await parts.reader.store.currentRevision()).toEqual(before);
});

test("the policy at start: has the server as field manager", async () => {
  const parts = await openParts();
  await bootstrap(parts, options);
  const { metadata } = stored(parts, "clusterroles", "system:basic-user");
  expect(metadata).toMatchObject({
    labels: { "kubernetes.io/bootstrapping": "rbac-defaults" },
    annotations: { [autoUpdate]: "true" },
    managedFields: [
      {
        manager: "kube-apiserver",
        operation: "Update",
        apiVersion: "rbac.authorization.k8s.io/v1",
        fieldsType: "FieldsV1",
        fieldsV1: {
          "f:metadata": {
            "f:annotations": { ".": {}, [`f:${autoUpdate}`]: {} },
            "f:labels": { ".": {}, "f:kubernetes.io/bootstrapping": {} },
          },
          "f:rules": {},
        },
      },
    ],
  });
});

test("the policy at start: the rules of aggregated roles have the controller as field manager", async () => {
  const parts = await openParts();
  await bootstrap(parts, options);
  const { metadata } = stored(parts, "clusterroles", "admin");
  const entries = metadata.managedFields?.map(({ manager, operation, fieldsV1 }) => [
    manager,
    operation,
    Object.keys(fieldsV1 ?? {}),
  ]);
  expect(entries).toEqual([
    ["clusterrole-aggregation-controller", "Apply", ["f:rules"]],
    ["kube-apiserver", "Update", ["f:aggregationRule", "f:metadata"]],
  ]);
});

each<[whole: string, roles: string[]]>([
  ["view", ["system:aggregate-to-view"]],
  ["edit", ["system:aggregate-to-edit", "view"]],
  ["admin", ["edit", "system:aggregate-to-admin"]],
])("the policy at start: %s is made of %j", async (whole, roles) => {
  const parts = await openParts();
  await bootstrap(parts, options);
  const rules = roles.flatMap((part) => stored(parts, "clusterroles", part).rules);
  const made = stored(parts, "clusterroles", whole).rules;
  expect([made.length > 5, uncovered(made, rules), uncovered(rules, made)]).toEqual([true, [], []]);
});

test("the policy at start: aggregated roles may be left to a controller", async () => {
  const parts = await openParts();
  await bootstrap(parts, { aggregatesRoles: false });
  expect(stored(parts, "clusterroles", "admin").rules).toEqual(null);
  await bootstrap(parts, options);
  expect(stored(parts, "clusterroles", "admin").rules.length).toBeGreaterThan(20);
});

test("the policy at start: missing rules of a role are restored, additional ones stay", async () => {
  const parts = await openParts();
  await bootstrap(parts, options);
  const name = "system:auth-delegator";
  const [first, second] = stored(parts, "clusterroles", name).rules;
  await change<ClusterRole>(parts, ["clusterroles", name], (role) => ({
    ...role,
    metadata: { ...role.metadata, labels: { own: "1" } },
    rules: [second, extraRule] as ClusterRole["rules"],
  }));
  await bootstrap(parts, options);
  const { rules, metadata } = stored(parts, "clusterroles", name);
  expect({ rules, labels: metadata.labels }).toEqual({
    rules: [second, extraRule, first],
    labels: { "kubernetes.io/bootstrapping": "rbac-defaults", own: "1" },
  });
});

test("the policy at start: objects that opt out are not changed", async () => {
  const parts = await openParts();
  await bootstrap(parts, options);
  const alone = <T extends ClusterRole | ClusterRoleBinding>(object: T, more: object): T => ({
    ...object,
    ...more,
    metadata: { ...object.metadata, annotations: { [autoUpdate]: "false" } },
  });
  await change<ClusterRole>(parts, ["clusterroles", "system:discovery"], (role) =>
    alone(role, { rules: [] }),
  );
  await change<ClusterRoleBinding>(parts, ["clusterrolebindings", "system:discovery"], (bound) =>
    alone(bound, { subjects: [], roleRef: { ...bound.roleRef, name: "view" } }),
  );
  const before = await parts.reader.store.currentRevision();
  await bootstrap(parts, options);
  expect(await parts.reader.store.currentRevision()).toEqual(before);
});

test("the policy at start: missing subjects of bindings are restored", async () => {
  const parts = await openParts();
  await bootstrap(parts, options);
  const jane = { kind: "User", apiGroup: rbacGroup, name: "jane" };
  const binding = ["clusterrolebindings", "system:public-info-viewer"] as const;
  await change<ClusterRoleBinding>(parts, binding, (bound) => ({ ...bound, subjects: [jane] }));
  await bootstrap(parts, options);
  const names = stored<ClusterRoleBinding>(parts, ...binding).subjects?.map(({ name }) => name);
  expect(names).toEqual(["jane", "system:authenticated", "system:unauthenticated"]);
});

test("the policy at start: a binding to another role is recreated", async () => {
  const parts = await openParts();
  await bootstrap(parts, options);
  const binding = ["clusterrolebindings", "system:discovery"] as const;
  await change<ClusterRoleBinding>(parts, binding, (bound) => ({
    ...bound,
    roleRef: { ...bound.roleRef, name: "cluster-admin" },
    subjects: [{ kind: "User", apiGroup: rbacGroup, name: "jane" }],
  }));
  const { uid } = stored<ClusterRoleBinding>(parts, ...binding).metadata;
  await bootstrap(parts, options);
  const { roleRef, subjects, metadata } = stored<ClusterRoleBinding>(parts, ...binding);
  expect([roleRef.name, subjects?.map(({ name }) => name), metadata.uid === uid]).toEqual([
    "system:discovery",
    ["system:authenticated"],
    false,
  ]);
});

test("the policy at start: deleted roles are created again, with their aggregated rules", async () => {
  const parts = await openParts();
  await bootstrap(parts, options);
  const names = ["admin", "system:aggregate-to-view", "system:kube-dns"];
  const before = names.map((name) => stored(parts, "clusterroles", name).rules);
  for (const name of names) await change(parts, ["clusterroles", name], () => undefined);
  await bootstrap(parts, options);
  expect(names.map((name) => stored(parts, "clusterroles", name).rules)).toEqual(before);
});

test("the policy at start: subjects of system:discovery get public information", async () => {
  const parts = await openParts();
  await bootstrap(parts, options);
  const anyone = [{ kind: "Group", apiGroup: rbacGroup, name: "system:unauthenticated" }];
  await change<ClusterRoleBinding>(parts, ["clusterrolebindings", "system:discovery"], (bound) => ({
    ...bound,
    metadata: { ...bound.metadata, annotations: { [autoUpdate]: "false" } },
    subjects: anyone,
  }));
  const target = ["clusterrolebindings", "system:public-info-viewer"] as const;
  await change(parts, target, () => undefined);
  await bootstrap(parts, options);
  const { subjects, metadata } = stored<ClusterRoleBinding>(parts, ...target);
  expect([subjects, metadata.annotations]).toEqual([anyone, { [autoUpdate]: "false" }]);
});

test("the policy at start: the rules of a role that was not aggregated move to its part", async () => {
  const parts = await openParts();
  await bootstrap(parts, options);
  await change(parts, ["clusterroles", "system:aggregate-to-view"], () => undefined);
  await change<ClusterRole>(parts, ["clusterroles", "view"], ({ aggregationRule: _, ...role }) => ({
    ...role,
    rules: [extraRule],
  }));
  await bootstrap(parts, options);
  const part = stored(parts, "clusterroles", "system:aggregate-to-view");
  expect(part.rules[0]).toEqual(extraRule);
  expect(uncovered(part.rules, expectedRules("system:aggregate-to-view"))).toEqual([]);
});

const expectedRules = (name: string): ClusterRole["rules"] =>
  defaultPolicy.clusterRoles.find(({ metadata }) => metadata.name === name)?.rules ?? [];
