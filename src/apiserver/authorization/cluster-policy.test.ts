import { expect, test } from "vitest";
import type { Subject } from "../../api/rbac/v1/subject.ts";
import { SeededRandom } from "../../base/random.ts";
import type { User } from "../request/identity.ts";
import { openParts, type TestParts } from "../verbs/verb-parts.test-support.ts";
import { type Attributes, pathAttributes, resourceAttributes } from "./attributes.ts";
import {
  account,
  asked,
  group,
  type PolicyObject,
  removePolicy,
  user,
  writePolicy,
} from "./cluster-policy.test-support.ts";

const role: PolicyObject = {
  kind: "Role",
  namespace: "n",
  name: "r",
  rules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }],
};
const binding = (...subjects: Subject[]): PolicyObject => ({
  kind: "RoleBinding",
  namespace: "n",
  name: "b",
  roleRef: { kind: "Role", name: "r" },
  subjects,
});
const may = async (parts: TestParts, name: string): Promise<boolean> => {
  const who = { name, groups: [] };
  const { verdict } = await parts.access.authorizer.authorize(asked(who, "get pods named x in n"));
  return verdict === "allow";
};

test("policy: changes are followed after the first read", async () => {
  const parts = await openParts();
  const seen = [await may(parts, "jane")];
  const steps = [
    () => writePolicy(parts, binding(user("jane"), user("jane"))),
    () => writePolicy(parts, role),
    () => writePolicy(parts, binding(user("joe"))),
    () => writePolicy(parts, binding(user("joe"), user("jane"))),
    () => removePolicy(parts, role),
    () => writePolicy(parts, role),
    () => removePolicy(parts, binding()),
  ];
  for (const step of steps) {
    await step();
    seen.push(await may(parts, "jane"));
  }
  expect(seen).toEqual([false, false, true, false, true, false, true, false]);
});

test("policy: after its end nothing is followed any more", async () => {
  const parts = await openParts();
  await writePolicy(parts, role);
  await may(parts, "jane");
  parts.access.policy.close();
  await writePolicy(parts, binding(user("jane")));
  expect(await may(parts, "jane")).toEqual(false);
});

test("policy: indexed or not, random policies decide the same of random requests", async () => {
  const random = new SeededRandom(20260);
  const counts = { allow: 0, "no opinion": 0, deny: 0 };
  for (let round = 0; round < 60; round++) {
    const parts = await openParts();
    const objects = new Map<string, PolicyObject>();
    for (let change = 0; change < 40; change++) {
      const object = randomObject(random);
      const key = `${object.kind} ${object.namespace} ${object.name}`;
      if (random.next() < 0.1) {
        await removePolicy(parts, object);
        objects.delete(key);
      } else {
        await writePolicy(parts, object);
        objects.set(key, object);
      }
      for (let n = 0; n < 5; n++) {
        const request = randomRequest(random);
        const { verdict, reason } = await parts.access.authorizer.authorize(request);
        counts[verdict]++;
        const naive = naively([...objects.values()], request);
        expect({ request, verdict, reason }).toEqual({ request, ...naive });
      }
    }
  }
  expect(Math.min(counts.allow, counts["no opinion"])).toBeGreaterThan(1000);
});

const one = <T>(random: SeededRandom, items: readonly T[]): T =>
  items[Math.floor(random.next() * items.length)] as T;
const some = <T>(random: SeededRandom, items: readonly T[], least = 0): T[] => {
  const count = least + Math.floor(random.next() * 3);
  return Array.from({ length: count }, () => one(random, items));
};

const names = ["a", "b", "c"];
const namespaces = ["m", "n"];
const verbs = ["get", "list", "*"];
const groups = ["", "apps", "*"];
const resources = ["pods", "pods/log", "scales", "*/scale", "*", "pods/scale"];
const paths = ["/a", "/a/*", "*", "/a/b", "/b*"];

function randomObject(random: SeededRandom): PolicyObject {
  const kind = one(random, ["Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"] as const);
  const place = kind.startsWith("Cluster") ? {} : { namespace: one(random, namespaces) };
  const name = one(random, names);
  if (kind === "Role" || kind === "ClusterRole")
    return {
      kind,
      ...place,
      name,
      rules: some(random, [0, 1, 2], 2).map(() => randomRule(random)),
    };
  const refKind = kind === "RoleBinding" ? one(random, ["Role", "ClusterRole"]) : "ClusterRole";
  const subjects = some(random, [0, 1, 2], 2).map(() => randomSubject(random));
  return { kind, ...place, name, roleRef: { kind: refKind, name: one(random, names) }, subjects };
}

function randomRule(random: SeededRandom) {
  if (random.next() < 0.3)
    return { verbs: some(random, verbs, 1), nonResourceURLs: some(random, paths, 1) };
  const objects = random.next() < 0.3 ? { resourceNames: some(random, names, 1) } : {};
  return {
    verbs: some(random, verbs, 1),
    apiGroups: some(random, groups, 1),
    resources: some(random, resources, 1),
    ...objects,
  };
}

function randomSubject(random: SeededRandom): Subject {
  const name = one(random, names);
  if (random.next() < 0.3) return user(name);
  if (random.next() < 0.5) return group(name);
  return random.next() < 0.5 ? account(name) : account(name, one(random, namespaces));
}

function randomUser(random: SeededRandom): User {
  const name = one(random, names);
  const isAccount = random.next() < 0.4;
  return {
    name: isAccount ? `system:serviceaccount:${one(random, namespaces)}:${name}` : name,
    groups: some(random, names),
  };
}

function randomRequest(random: SeededRandom): Attributes {
  const who = randomUser(random);
  if (random.next() < 0.3)
    return pathAttributes(
      who,
      one(random, ["get", "post"]),
      one(random, ["/a", "/a/b", "/b", "/bc"]),
    );
  return resourceAttributes(who, one(random, ["get", "list", "create"]), {
    group: one(random, ["", "apps", "batch"]),
    resource: one(random, ["pods", "scales"]),
    subresource: one(random, ["", "", "log", "scale"]),
    namespace: one(random, ["", ...namespaces]),
    name: one(random, ["", ...names]),
  });
}

/** Looks at every binding, every subject and every rule, one after the other. */
function naively(objects: readonly PolicyObject[], request: Attributes) {
  const byName = (a: PolicyObject, b: PolicyObject) => (a.name < b.name ? -1 : 1);
  const ofCluster = objects.filter(({ kind }) => kind === "ClusterRoleBinding").sort(byName);
  const local = objects.filter(
    ({ kind, namespace }) => kind === "RoleBinding" && namespace === request.namespace,
  );
  // Those of the user come before those of each group.
  const { name, groups } = request.user;
  const parts = [{ name, groups: [] }, ...groups.map((one) => ({ name: "", groups: [one] }))];
  const ordered = [ofCluster, local.sort(byName)].flatMap((bindings) =>
    parts.flatMap((part) =>
      bindings.filter(({ subjects = [], namespace = "" }) =>
        subjects.some((subject) => isUser(subject, part, namespace)),
      ),
    ),
  );
  const errors = new Set<string>();
  for (const bound of ordered) {
    const { namespace = "", roleRef = { kind: "", name: "" }, subjects = [] } = bound;
    const subject = subjects.find((one) => isUser(one, request.user, namespace)) as Subject;
    const found = objects.find(
      ({ kind, name: own, namespace: place = "" }) =>
        kind === roleRef.kind && own === roleRef.name && (kind !== "Role" || place === namespace),
    );
    if (!found) {
      errors.add(
        `${roleRef.kind.toLowerCase()}.rbac.authorization.k8s.io "${roleRef.name}" not found`,
      );
      continue;
    }
    if (!(found.rules ?? []).some((rule) => ruleMatches(rule, request))) continue;
    const which =
      namespace === ""
        ? `ClusterRoleBinding "${bound.name}"`
        : `RoleBinding "${bound.name}/${namespace}"`;
    const suffix = subject.kind === "ServiceAccount" ? `/${subject.namespace ?? namespace}` : "";
    const whom = `${subject.kind} "${subject.name}${suffix}"`;
    const role = `${roleRef.kind} "${roleRef.name}"`;
    return { verdict: "allow", reason: `RBAC: allowed by ${which} of ${role} to ${whom}` };
  }
  const all = [...errors];
  const text = all.length > 1 ? `[${all.join(", ")}]` : all.join("");
  return { verdict: "no opinion", reason: text === "" ? "" : `RBAC: ${text}` };
}

function isUser({ kind, name, namespace }: Subject, who: User, here: string): boolean {
  if (kind === "User") return who.name === name;
  if (kind === "Group") return who.groups.includes(name);
  const place = namespace ?? here;
  return place !== "" && who.name === ["system", "serviceaccount", place, name].join(":");
}

type Rule = NonNullable<PolicyObject["rules"]>[number];

function ruleMatches(rule: Rule, request: Attributes): boolean {
  if (!rule.verbs.some((verb) => verb === "*" || verb === request.verb)) return false;
  if (!request.isResource)
    return (rule.nonResourceURLs ?? []).some((path) => {
      const isPrefix = path.at(-1) === "*";
      return isPrefix ? request.path.startsWith(path.slice(0, -1)) : path === request.path;
    });
  const { subresource } = request;
  const full = subresource === "" ? request.resource : `${request.resource}/${subresource}`;
  const isResource = (rule.resources ?? []).some(
    (resource) =>
      resource === "*" ||
      resource === full ||
      (subresource !== "" && resource === `*/${subresource}`),
  );
  const isGroup = (rule.apiGroups ?? []).some((name) => name === "*" || name === request.group);
  const isNamed = !rule.resourceNames?.length || rule.resourceNames.includes(request.name);
  return isResource && isGroup && isNamed;
}
