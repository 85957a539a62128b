import { allow, read, recordEvents, role, roleBinding, serviceAccount, user } from "./notation.ts";

/** Roles within a namespace. */
export const namespaceRoles = [
  role("kube-public", "system:controller:bootstrap-signer", [
    allow(read, "configmaps"),
    allow("update", "configmaps", { named: "cluster-info" }),
    recordEvents,
  ]),
  role("kube-system", "extension-apiserver-authentication-reader", [
    allow(read, "configmaps", { named: "extension-apiserver-authentication" }),
  ]),
  role("kube-system", "system::leader-locking-kube-controller-manager", [
    allow("create get list update watch", "leases", { of: "coordination.k8s.io" }),
    allow("create get list update watch", "leasecandidates", { of: "coordination.k8s.io" }),
  ]),
  role("kube-system", "system::leader-locking-kube-scheduler", [
    allow("create get list update watch", "leases", { of: "coordination.k8s.io" }),
    allow("create get list update watch", "leasecandidates", { of: "coordination.k8s.io" }),
  ]),
  role("kube-system", "system:controller:bootstrap-signer", [allow(read, "secrets")]),
  role("kube-system", "system:controller:cloud-provider", [
    allow("create get list watch", "configmaps"),
  ]),
  role("kube-system", "system:controller:token-cleaner", [
    allow("delete get list watch", "secrets"),
    recordEvents,
  ]),
];

/** The bindings of these roles. */
export const namespaceRoleBindings = [
  roleBinding("kube-public", "system:controller:bootstrap-signer", {
    subjects: [serviceAccount("bootstrap-signer")],
  }),
  roleBinding("kube-system", "system::extension-apiserver-authentication-reader", {
    of: "extension-apiserver-authentication-reader",
    subjects: [user("system:kube-controller-manager"), user("system:kube-scheduler")],
  }),
  roleBinding("kube-system", "system::leader-locking-kube-controller-manager", {
    subjects: [
      user("system:kube-controller-manager"),
      serviceAccount("kube-controller-manager"),
      serviceAccount("leader-election-controller"),
    ],
  }),
  roleBinding("kube-system", "system::leader-locking-kube-scheduler", {
    subjects: [user("system:kube-scheduler"), serviceAccount("kube-scheduler")],
  }),
  roleBinding("kube-system", "system:controller:bootstrap-signer", {
    subjects: [serviceAccount("bootstrap-signer")],
  }),
  roleBinding("kube-system", "system:controller:cloud-provider", {
    subjects: [serviceAccount("cloud-provider")],
  }),
  roleBinding("kube-system", "system:controller:token-cleaner", {
    subjects: [serviceAccount("token-cleaner")],
  }),
];
