/** What the cluster holds in which requests are refused; all made by its administrator. */
const role = (name: string, namespace: string, rules: readonly object[]) => ({
  path: `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/roles`,
  body: { metadata: { name }, rules },
});
const clusterRole = (name: string, rules: readonly object[], more: object = {}) => ({
  path: "/apis/rbac.authorization.k8s.io/v1/clusterroles",
  body: { metadata: { name }, rules, ...more },
});
const user = (name: string) => ({ kind: "User", apiGroup: "rbac.authorization.k8s.io", name });
const robot = { kind: "ServiceAccount", namespace: "a", name: "robot" };
const bind = (
  [kind, name]: readonly ["Role" | "ClusterRole", string],
  subjects: readonly object[],
  namespace?: string,
) => ({
  path: `/apis/rbac.authorization.k8s.io/v1/${namespace ? `namespaces/${namespace}/rolebindings` : "clusterrolebindings"}`,
  body: {
    metadata: { name: `${name}-binding` },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name },
    subjects,
  },
});
const inA = (resource: string, body: object) => ({
  path: `/api/v1/namespaces/a/${resource}`,
  body,
});
const named = (name: string) => ({ metadata: { name } });
const allow = (verbs: string, resources: string, more: object = {}) => ({
  verbs: verbs.split(","),
  apiGroups: [""],
  resources: resources.split(","),
  ...more,
});
const rbac = { apiGroups: ["rbac.authorization.k8s.io"] };
const pod = { spec: { serviceAccountName: "robot", containers: [{ name: "c", image: "i" }] } };

export const objects: readonly { readonly path: string; readonly body: object }[] = [
  { path: "/api/v1/namespaces", body: named("a") },
  { path: "/api/v1/namespaces", body: named("b") },
  inA("serviceaccounts", named("default")),
  inA("serviceaccounts", named("robot")),
  inA("serviceaccounts", named("doomed")),
  inA("secrets", named("s1")),
  inA("secrets", named("s2")),
  inA("configmaps", named("c1")),
  inA("pods", { ...named("p"), ...pod }),
  inA("pods", { ...named("bound"), ...pod }),
  role("reader", "a", [
    allow("get,list,watch", "configmaps,pods"),
    allow("get", "secrets", { resourceNames: ["s1"] }),
  ]),
  bind(["Role", "reader"], [user("jane"), robot], "a"),
  clusterRole("urls", [{ verbs: ["get"], nonResourceURLs: ["/custom/*", "/exactly"] }]),
  bind(["ClusterRole", "urls"], [user("jane")]),
  role("role-manager", "a", [
    allow("get,list,watch", "configmaps"),
    allow("get,create,update,patch,delete", "roles,rolebindings", rbac),
  ]),
  bind(["Role", "role-manager"], [user("manager")], "a"),
  clusterRole("cluster-role-manager", [
    allow("create,update,patch", "clusterroles,clusterrolebindings", rbac),
  ]),
  bind(["ClusterRole", "cluster-role-manager"], [user("cluster-manager")]),
  role("escalator", "a", [
    allow("create", "roles,rolebindings", rbac),
    allow("escalate", "roles", rbac),
    allow("bind", "clusterroles", { ...rbac, resourceNames: ["view"] }),
  ]),
  bind(["Role", "escalator"], [user("escalator")], "a"),
  clusterRole("impersonator", [
    allow("impersonate", "users", { resourceNames: ["jane"] }),
    allow("impersonate", "groups", { resourceNames: ["devs"] }),
  ]),
  bind(["ClusterRole", "impersonator"], [user("imp")]),
  ...(["valid", "expired", "useless"] as const).map((kind) => ({
    path: "/api/v1/namespaces/kube-system/secrets",
    body: {
      metadata: { name: `bootstrap-token-${kind.slice(0, 5)}0` },
      type: "bootstrap.kubernetes.io/token",
      stringData: {
        "token-id": `${kind.slice(0, 5)}0`,
        "token-secret": "0123456789abcdef",
        ...(kind !== "useless" && { "usage-bootstrap-authentication": "true" }),
        ...(kind === "expired" && { expiration: "2020-01-01T00:00:00Z" }),
      },
    },
  })),
];
