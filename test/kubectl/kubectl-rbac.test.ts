import { afterAll, beforeAll } from "vitest";
import { describeWith, requires } from "../requires.ts";
import { openTour, type Row, type Tour, testCommands } from "./kubectl.test-support.ts";

const policy = `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: reader
  namespace: default
rules:
- apiGroups: [""]
  resources: [pods, pods/log]
  verbs: [get, list]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: readers
  namespace: default
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: reader
subjects:
- apiGroup: rbac.authorization.k8s.io
  kind: Group
  name: devs
`;

const forbidden = "Error from server (Forbidden):";
const devs = "--as jane --as-group devs --as-group ops";

const whoami = (...lines: string[]): readonly string[] => ["ATTRIBUTE   VALUE", ...lines];

const discoverable = [
  "/api/*",
  "/api",
  "/apis/*",
  "/apis",
  "/healthz",
  "/healthz",
  "/livez",
  "/livez",
  "/openapi/*",
  "/openapi",
  "/readyz",
  "/readyz",
  "/version/",
  "/version/",
  "/version",
  "/version",
];
const listed = (...resources: string[]): readonly string[] => [
  "Resources  Non-Resource URLs  Resource Names  Verbs",
  "selfsubjectreviews.authentication.k8s.io  []  []  [create]",
  "selfsubjectaccessreviews.authorization.k8s.io  []  []  [create]",
  "selfsubjectrulesreviews.authorization.k8s.io  []  []  [create]",
  ...resources,
  ...discoverable.map((path) => `  [${path}]  []  [get]`),
];

const reconciled = (note: string, ...more: string[]): readonly string[] => [
  `role.rbac.authorization.k8s.io/reader reconciled${note}`,
  `rolebinding.rbac.authorization.k8s.io/readers reconciled${note}`,
  ...more,
];
const created = [
  "\treconciliation required create",
  "\tmissing rules added:",
  "\t\t{Verbs:[get list] APIGroups:[] Resources:[pods pods/log] ResourceNames:[] NonResourceURLs:[]}",
  "\treconciliation required create",
  "\tmissing subjects added:",
  "\t\t{Kind:Group APIGroup:rbac.authorization.k8s.io Name:devs Namespace:}",
];

const rows: Row[] = [
  ["auth can-i list pods", "yes"],
  ["auth can-i '*' '*' --all-namespaces", "yes"],
  ["auth can-i list pods --as jane", "no", 1],
  [
    "auth can-i create selfsubjectreviews.authentication.k8s.io --as jane",
    [
      "yes",
      "Warning: resource 'selfsubjectreviews' is not namespace scoped in group 'authentication.k8s.io'",
    ],
  ],
  ["auth can-i get /healthz --as jane", "yes"],
  ["auth can-i get /metrics --as jane", "no", 1],
  [
    "auth whoami",
    /Username +admin\nGroups +\[system:masters system:authenticated\]\nExtra: authentication.kubernetes.io\/credential-id +\[X509SHA256=[0-9a-f]{64}\]$/,
  ],
  [
    `auth whoami ${devs} --as-uid 7`,
    whoami("Username    jane", "UID         7", "Groups      [devs ops system:authenticated]"),
  ],
  [
    "auth whoami --as system:serviceaccount:default:robot",
    whoami(
      "Username    system:serviceaccount:default:robot",
      "Groups      [system:serviceaccounts system:serviceaccounts:default system:authenticated]",
    ),
  ],
  [
    "auth whoami --as Zo\u00eb --as-group 'a, b' --as-group \u65e5\u672c",
    whoami("Username    Zo\u00eb", "Groups      [a, b \u65e5\u672c system:authenticated]"),
  ],
  [
    "auth whoami --as system:anonymous",
    "error: the selfsubjectreviews API is not enabled in the cluster or you do not have permission to call it",
    1,
  ],
  [`get pods ${devs}`, `${forbidden} pods is forbidden: ${cannot("list", "pods")}`, 1],
  ["auth reconcile -f policy.yaml --dry-run=client", reconciled(" (dry run)", ...created)],
  ["auth reconcile -f policy.yaml", reconciled("", ...created)],
  ["auth reconcile -f policy.yaml", reconciled("")],
  [`get pods ${devs}`, "No resources found in default namespace."],
  [`get pods -w=false -o name ${devs}`, ""],
  [
    `get pod x ${devs} -n kube-system`,
    `${forbidden} pods "x" is forbidden: ${cannot("get", "pods", "kube-system")}`,
    1,
  ],
  [`delete pod x ${devs}`, `${forbidden} pods "x" is forbidden: ${cannot("delete", "pods")}`, 1],
  [`auth can-i get pods --subresource=log ${devs}`, "yes"],
  [`auth can-i get pods/x --subresource=exec ${devs}`, "no", 1],
  [`auth can-i --list ${devs}`, listed("pods/log  []  []  [get list]", "pods  []  []  [get list]")],
  ["auth can-i --list --as jane", listed()],
  ["create clusterrolebinding lost --clusterrole=lost --user=jane", /created$/],
  [
    "auth can-i list pods --as jane",
    'no - RBAC: clusterrole.rbac.authorization.k8s.io "lost" not found',
    1,
  ],
  ["create rolebinding boss --clusterrole=admin --user=boss", /created$/],
  ["create role cooks --verb=get --resource=pods --as boss", /created$/],
  [
    "create role cooks2 --verb=get,eat --resource=pods --as boss",
    [
      "Warning: 'eat' is not a standard resource verb",
      `${forbidden} roles.rbac.authorization.k8s.io "cooks2" is forbidden: user "boss" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:`,
      '{APIGroups:[""], Resources:["pods"], Verbs:["eat"]}',
    ],
    1,
  ],
  ["create rolebinding friend --clusterrole=edit --user=friend --as boss", /created$/],
  ["auth can-i create deployments.apps --as friend", "yes"],
  [
    "get nodes --as friend --as-group x",
    `${forbidden} nodes is forbidden: User "friend" cannot list resource "nodes" in API group "" at the cluster scope`,
    1,
  ],
];

function cannot(verb: string, resource: string, namespace = "default"): string {
  return `User "jane" cannot ${verb} resource "${resource}" in API group "" in the namespace "${namespace}"`;
}

describeWith(requires("kubectl"))("kubectl and roles", () => {
  let tour: Tour;
  beforeAll(async () => {
    tour = await openTour({ "policy.yaml": policy });
  });
  afterAll(() => tour.close());
  testCommands(() => tour, rows);
});
