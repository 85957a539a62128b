import { beforeAll, describe, expect, test } from "vitest";
import { bootstrap } from "../bootstrap/bootstrap.ts";
import type { User } from "../request/identity.ts";
import { openParts, type TestParts } from "../verbs/verb-parts.test-support.ts";
import {
  account,
  asked,
  group,
  type PolicyObject,
  user,
  writePolicy,
} from "./cluster-policy.test-support.ts";

const known = "system:authenticated";
const accounts = "system:serviceaccounts";
const named = (name: string, ...groups: string[]): User => ({ name, groups: [...groups, known] });
const serviceAccount = (namespace: string, name: string): User =>
  named(`system:serviceaccount:${namespace}:${name}`, accounts, `${accounts}:${namespace}`);

/** The default policy, and some roles of its users. */
const policy: readonly PolicyObject[] = [
  bound("vera", "view", "team", user("vera")),
  bound("devs", "edit", "team", group("devs")),
  bound("boss", "admin", "team", user("boss")),
  bound("all-in-team", "cluster-admin", "team", user("tim")),
  {
    kind: "ClusterRoleBinding",
    name: "watchers",
    roleRef: clusterRole("view"),
    subjects: [user("wanda")],
  },
  {
    kind: "Role",
    namespace: "team",
    name: "mixed",
    rules: [
      {
        verbs: ["get", "update"],
        apiGroups: [""],
        resources: ["configmaps"],
        resourceNames: ["a", "b"],
      },
      {
        verbs: ["list", "watch"],
        apiGroups: [""],
        resources: ["configmaps"],
        resourceNames: ["a"],
      },
      { verbs: ["get"], apiGroups: ["*"], resources: ["*/scale"] },
      { verbs: ["create"], apiGroups: [""], resources: ["pods/exec"] },
      { verbs: ["*"], apiGroups: ["batch"], resources: ["jobs"] },
      { verbs: ["get"], apiGroups: ["", "apps"], resources: ["*"], resourceNames: ["shared"] },
    ],
  },
  {
    kind: "RoleBinding",
    namespace: "team",
    name: "mixed",
    roleRef: { kind: "Role", name: "mixed" },
    subjects: [user("olga"), account("robot"), account("robot", "elsewhere")],
  },
  {
    kind: "ClusterRole",
    name: "paths",
    rules: [
      { verbs: ["get"], nonResourceURLs: ["/logs/*", "/metrics", "/a*"] },
      { verbs: ["*"], nonResourceURLs: ["/admin"] },
    ],
  },
  {
    kind: "ClusterRoleBinding",
    name: "paths",
    roleRef: clusterRole("paths"),
    subjects: [user("pat"), account("robot")],
  },
  bound("paths", "paths", "team", user("vera")),
  bound("gone", "gone", "team", user("gus")),
];

function clusterRole(name: string) {
  return { kind: "ClusterRole", name };
}
function bound(
  name: string,
  role: string,
  namespace: string,
  ...subjects: ReturnType<typeof user>[]
): PolicyObject {
  return { kind: "RoleBinding", namespace, name, roleRef: clusterRole(role), subjects };
}

interface Verdicts {
  readonly user: User;
  readonly allowed: readonly string[];
  readonly refused: readonly string[];
}

const verdicts: Readonly<Record<string, Verdicts>> = {
  "an administrator": {
    user: { name: "root", groups: ["system:masters"] },
    allowed: [
      "delete nodes named n",
      "get /anything",
      "eat cakes.example.com in team",
      "impersonate users named x",
    ],
    refused: [],
  },
  "an anonymous user": {
    user: { name: "system:anonymous", groups: ["system:unauthenticated"] },
    allowed: ["get /healthz", "get /livez", "get /readyz", "get /version", "get /version/"],
    refused: [
      "get /api",
      "get /apis",
      "get /openapi/v2",
      "get /metrics",
      "get /readyz/etcd",
      "post /version",
      "head /version",
      "get /",
      "list pods",
      "list pods in team",
      "create selfsubjectreviews.authentication.k8s.io",
      "create selfsubjectaccessreviews.authorization.k8s.io",
    ],
  },
  "an authenticated user": {
    user: named("jane"),
    allowed: [
      "get /api",
      "get /api/v1",
      "get /apis",
      "get /apis/apps/v1",
      "get /openapi",
      "get /openapi/v3/apis/apps/v1",
      "get /healthz",
      "get /version",
      "create selfsubjectreviews.authentication.k8s.io",
      "create selfsubjectaccessreviews.authorization.k8s.io",
      "create selfsubjectrulesreviews.authorization.k8s.io",
    ],
    refused: [
      "get /apiculture",
      "get /metrics",
      "get /logs/",
      "get /.well-known/openid-configuration",
      "post /api",
      "create subjectaccessreviews.authorization.k8s.io",
      "create localsubjectaccessreviews.authorization.k8s.io in team",
      "create tokenreviews.authentication.k8s.io",
      "list pods",
      "list pods in team",
      "get namespaces named team in team",
      "get secrets named x in team",
    ],
  },
  "a user with view in a namespace": {
    user: named("vera"),
    allowed: [
      "get pods named web in team",
      "list pods in team",
      "watch deployments.apps in team",
      "get pods/log named web in team",
      "get deployments.apps/scale named web in team",
      "get namespaces named team in team",
      "list events.events.k8s.io in team",
      "get resourcequotas/status named q in team",
    ],
    refused: [
      "list pods",
      "list pods in other",
      "get secrets named s in team",
      "list roles.rbac.authorization.k8s.io in team",
      "create pods in team",
      "delete pods named web in team",
      "get pods/exec named web in team",
      "create pods/exec named web in team",
      "update pods/status named web in team",
      "get nodes named n",
      "list namespaces",
      // A role that is bound in a namespace says nothing of paths.
      "get /metrics",
      "get /admin",
    ],
  },
  "a member of a group with edit in a namespace": {
    user: named("dora", "devs"),
    allowed: [
      "create pods in team",
      "delete pods named web in team",
      "deletecollection pods in team",
      "get secrets named s in team",
      "create pods/exec named web in team",
      "get pods/portforward named web in team",
      "create pods/eviction named web in team",
      "patch deployments.apps/scale named web in team",
      "update deployments.apps/rollback named web in team",
      "impersonate serviceaccounts named default in team",
      "create serviceaccounts/token named default in team",
      "list pods in team",
      "create leases.coordination.k8s.io in team",
    ],
    refused: [
      "create pods in other",
      "update pods/status named web in team",
      "list roles.rbac.authorization.k8s.io in team",
      "create rolebindings.rbac.authorization.k8s.io in team",
      "delete namespaces named team in team",
      "update resourcequotas named q in team",
      "update deployments.apps/status named web in team",
      "create cakes.example.com in team",
      "impersonate users named x",
    ],
  },
  "a user with admin in a namespace": {
    user: named("boss"),
    allowed: [
      "create rolebindings.rbac.authorization.k8s.io in team",
      "update roles.rbac.authorization.k8s.io named r in team",
      "create localsubjectaccessreviews.authorization.k8s.io in team",
      "create pods in team",
      "get pods/log named web in team",
    ],
    refused: [
      "create rolebindings.rbac.authorization.k8s.io in other",
      "create clusterroles.rbac.authorization.k8s.io",
      "escalate roles.rbac.authorization.k8s.io in team",
      "bind clusterroles.rbac.authorization.k8s.io named admin in team",
      "update resourcequotas named q in team",
      "create limitranges in team",
      "delete namespaces named team in team",
    ],
  },
  "a user with cluster-admin in a namespace": {
    user: named("tim"),
    allowed: [
      "delete namespaces named team in team",
      "eat cakes.example.com in team",
      "create pods/exec named web in team",
      "escalate roles.rbac.authorization.k8s.io in team",
    ],
    refused: [
      "list pods",
      "list pods in other",
      "get nodes named n",
      "get /metrics",
      "list namespaces",
    ],
  },
  "a user with view in the cluster": {
    user: named("wanda"),
    allowed: [
      "list pods",
      "list pods in other",
      "watch services in team",
      "list namespaces",
      "get namespaces named x in x",
    ],
    refused: ["list nodes", "list secrets", "list persistentvolumes", "create pods in team"],
  },
  "a user with names, subresources and wildcards in a role": {
    user: named("olga"),
    allowed: [
      "get configmaps named a in team",
      "update configmaps named b in team",
      // As a list of that one name is asked for.
      "list configmaps named a in team",
      "watch configmaps named a in team",
      "get deployments.apps/scale named web in team",
      "get cakes.example.com/scale named web in team",
      "create pods/exec named web in team",
      "create jobs.batch in team",
      "eat jobs.batch named j in team",
      "get secrets named shared in team",
      "get deployments.apps named shared in team",
      "get pods/log named shared in team",
    ],
    refused: [
      "get configmaps named c in team",
      "get configmaps in team",
      "list configmaps in team",
      "list configmaps named b in team",
      "create configmaps in team",
      "delete configmaps named a in team",
      "update deployments.apps/scale named web in team",
      "get deployments.apps named web in team",
      "get pods named web in team",
      "create pods in team",
      "create pods/attach named web in team",
      "create jobs.example.com in team",
      "get jobs.batch/status named j in team",
      "get jobs.batch named shared in other",
      "get cakes.example.com named shared in team",
      "get configmaps named a in other",
      "get configmaps named a",
    ],
  },
  "a service account in the namespace of its binding": {
    user: serviceAccount("team", "robot"),
    allowed: [
      "get configmaps named a in team",
      "create jobs.batch in team",
      "get /.well-known/openid-configuration",
      "get /openid/v1/jwks",
    ],
    // A binding of the cluster has no namespace to take it from.
    refused: ["get /metrics", "get configmaps named a in elsewhere", "get /openid/v1"],
  },
  "a service account in another namespace": {
    user: serviceAccount("elsewhere", "robot"),
    allowed: ["get configmaps named a in team"],
    refused: ["get configmaps named a in elsewhere"],
  },
  "a user with the name of a service account": {
    user: named("robot"),
    allowed: [],
    refused: ["get configmaps named a in team"],
  },
  "a service account without a binding": {
    user: serviceAccount("third", "robot"),
    allowed: ["create selfsubjectreviews.authentication.k8s.io"],
    refused: ["get configmaps named a in team", "list pods in third"],
  },
  "a user with non-resource URLs": {
    user: named("pat"),
    allowed: [
      "get /logs/",
      "get /logs/a/b",
      "get /metrics",
      "get /a",
      "get /about",
      "post /admin",
      "delete /admin",
    ],
    refused: [
      "get /logs",
      "post /metrics",
      "get /metrics/",
      "post /admin/x",
      "get /b",
      "get a",
      "list a in team",
    ],
  },
  "a user whose role was deleted": {
    user: named("gus"),
    allowed: [],
    refused: ["list pods in team"],
  },
  "the scheduler": {
    user: named("system:kube-scheduler"),
    allowed: [
      "create pods/binding named web in team",
      "list nodes",
      "update pods/status named web in team",
      "get leases.coordination.k8s.io named x in kube-system",
      "get configmaps named extension-apiserver-authentication in kube-system",
      "patch persistentvolumeclaims named p in team",
    ],
    refused: [
      "list secrets in team",
      "create pods in team",
      "get leases.coordination.k8s.io named x in team",
      "get configmaps named other in kube-system",
      "delete nodes named n",
    ],
  },
  "the replica set controller": {
    user: serviceAccount("kube-system", "replicaset-controller"),
    allowed: [
      "create pods in team",
      "delete pods named web in team",
      "update replicasets.apps/status named r in team",
      "patch pods named web in team",
    ],
    refused: [
      "update pods/status named web in team",
      "list secrets in team",
      "delete replicasets.apps named r in team",
    ],
  },
  "its service account in another namespace": {
    user: serviceAccount("default", "replicaset-controller"),
    allowed: [],
    refused: ["create pods in team"],
  },
  "the role aggregation controller": {
    user: serviceAccount("kube-system", "clusterrole-aggregation-controller"),
    allowed: [
      "escalate clusterroles.rbac.authorization.k8s.io named x",
      "patch clusterroles.rbac.authorization.k8s.io named x",
    ],
    refused: [
      "escalate roles.rbac.authorization.k8s.io in team",
      "delete clusterroles.rbac.authorization.k8s.io named x",
    ],
  },
  "the garbage collector": {
    user: serviceAccount("kube-system", "generic-garbage-collector"),
    allowed: ["delete cakes.example.com named x in team", "patch pods named web in team"],
    refused: ["create pods in team", "get /metrics"],
  },
  "kube-proxy": {
    user: named("system:kube-proxy"),
    allowed: ["list services", "watch endpointslices.discovery.k8s.io", "get nodes named n"],
    refused: ["list pods", "update nodes/status named n"],
  },
  monitoring: {
    user: named("prom", "system:monitoring"),
    allowed: ["get /metrics", "get /healthz/etcd", "get /readyz/", "get /livez/ping"],
    refused: ["post /metrics", "get /logs/"],
  },
  "a node, by the node authorizer": {
    user: named("system:node:n1", "system:nodes"),
    allowed: ["get /healthz", "get nodes named n1"],
    refused: ["get nodes named n2", "list pods"],
  },
};

describe("the decisions of Node and RBAC", () => {
  let parts: TestParts;
  beforeAll(async () => {
    parts = await openParts();
    await bootstrap(parts, { aggregatesRoles: true });
    for (const object of policy) await writePolicy(parts, object);
  });
  const decide = async (who: User, request: string) =>
    (await parts.access.authorizer.authorize(asked(who, request))).verdict;

  for (const [who, { user: asking, allowed, refused }] of Object.entries(verdicts)) {
    for (const request of allowed)
      test(`${who} may ${request}`, async () => {
        expect(await decide(asking, request)).toEqual("allow");
      });
    for (const request of refused)
      test(`${who} may not ${request}`, async () => {
        expect(await decide(asking, request)).toEqual("no opinion");
      });
  }
});
